"""Fixtures for all tests."""

import os
import signal
from collections import Counter
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from tests.ops.differential import oracle

__all__ = ["oracle"]

# No test asserts a time: a busy machine is no reason to fail. Every random case has its seed.
settings.register_profile(
    "arenite", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("arenite")

# A shell's background jobs (``make test &``) and what they start ignore Ctrl-C; the tests of it
# would wait forever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``ARENITE_ONE_IN=N``, of every test's cases the first and one in N.

    A name's checksum chooses, so that processes agree, and what a list of all operators loses in
    one test it keeps in another.
    """
    nth = int(os.environ.get("ARENITE_ONE_IN", "1"))
    cases: Counter[str] = Counter()
    kept, left_out = [], []
    for item in items:
        test = item.nodeid.split("[")[0]
        cases[test] += 1
        chosen = cases[test] == 1 or crc32(item.nodeid.encode()) % nth == 0
        (kept if chosen else left_out).append(item)
    items[:] = kept
    if left_out:
        config.hook.pytest_deselected(items=left_out)

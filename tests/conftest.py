"""Fixtures for all tests."""

from __future__ import annotations

import signal

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

"""Fixtures for all tests."""

from __future__ import annotations

import signal

from tests.ops.differential import oracle

__all__ = ["oracle"]

# A shell's background jobs (``make test &``) and what they start ignore Ctrl-C; the tests of it
# would wait forever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

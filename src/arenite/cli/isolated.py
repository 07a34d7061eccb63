"""A command in a child of its own, see :mod:`arenite.cli.kernels`."""

from __future__ import annotations

import sys


def main(arguments: list[str]) -> int:
    """Run a command; its exit code."""
    from arenite.cli import app
    from arenite.cli.kernels import Child
    from arenite.cli.process import run_as_process

    Child.is_inside = True
    sys.argv = ["arenite", *arguments]
    try:
        run_as_process(lambda: app(prog_name="arenite"))
    except SystemExit as end:
        sys.stderr.flush()
        return end.code if isinstance(end.code, int) else bool(end.code)
    return 0

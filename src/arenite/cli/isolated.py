"""A command in a child of its own, see :mod:`arenite.cli.kernels`."""

from __future__ import annotations


def main(arguments: list[str]) -> int:
    """Run a command; its exit code."""
    from arenite.cli import app

    try:
        app(arguments, prog_name="arenite")
    except SystemExit as end:
        return int(end.code or 0)
    return 0

"""``python -m arenite`` and the script ``arenite``: Ctrl-C is heard before commands load."""

import sys

from arenite.processes.paths import import_path

# Python has put the current folder first: what lies there is not imported instead of what follows.
sys.path[:] = import_path()

from arenite.processes.interrupts import finish_at_exit, take_over  # noqa: E402


def main() -> None:
    """Run the command line."""
    take_over()
    finish_at_exit()
    from arenite.cli import main as run  # noqa: PLC0415 - takes long

    run()


if __name__ == "__main__":
    main()

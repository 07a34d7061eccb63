"""``python -m arenite`` is the ``arenite`` command."""

import sys

from arenite.processes.paths import import_path

# Python has put the current folder first: what lies there is not imported instead of what follows.
sys.path[:] = import_path()

from arenite.cli import main  # noqa: E402

main()

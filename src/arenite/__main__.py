"""``python -m arenite`` is the ``arenite`` command."""

from arenite.cli import main

main()

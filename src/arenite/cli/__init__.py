"""The ``arenite`` command."""

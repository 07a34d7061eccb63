"""Kernel libraries: a folder each, with all that is true of that library."""

"""Emulated processors: programs in ELF files, instructions decoded, runs traced and counted."""

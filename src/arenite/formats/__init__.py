"""Bytes to models and back."""

from arenite.formats.loader import load

__all__ = ["load"]

"""Bytes to models and back."""

from arenite.formats.load import load

__all__ = ["load"]

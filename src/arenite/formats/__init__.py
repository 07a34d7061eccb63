"""Bytes to models and back."""

from arenite.formats.loader import Source, load, model_of

__all__ = ["Source", "load", "model_of"]

"""Bytes to models and back."""

from arenite.formats.loader import Source, content_of, load, model_of

__all__ = ["Source", "content_of", "load", "model_of"]

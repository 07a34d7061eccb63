"""TFLM's Python package on Arenite's engine: ``from arenite.tflm import runtime``.

Names, arguments, keys and classes of errors are those of ``tflite_micro`` (TFLM
``python/tflite_micro/runtime.py``), so a script changes its import and nothing else.
"""

from arenite.tflm import runtime

__all__ = ["runtime"]

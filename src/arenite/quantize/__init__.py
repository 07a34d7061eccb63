"""A float model as one that the device runs in integers, judged by the device's own bits.

``arenite.quantize`` is two things: the function that users call, and the room that it lives in.
The module is callable, so that each is where one looks for it:

>>> smaller, report = ar.quantize("float.tflite", "calibration/")      # doctest: +SKIP

Type checkers see the function, :func:`arenite.quantize.quantizer.quantize`.
"""

from arenite.callable_modules import make_callable

make_callable(__name__, "arenite.quantize.quantizer", "quantize")

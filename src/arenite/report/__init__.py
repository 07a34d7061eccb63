"""Facts about a model turned into text and pictures.

``arenite.report`` is two things: the function that users call,
:func:`arenite.report.page.make.report`, and the room that it lives in.

>>> ar.report("model.tflite", "model.html")     # doctest: +SKIP
"""

from arenite.callable_modules import make_callable

make_callable(__name__, "arenite.report.page.make", "report")

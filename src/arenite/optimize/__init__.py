"""A smaller and faster model with the same outputs: passes from ``Model`` to ``Model``.

``arenite.optimize`` is two things: the function that users call, and the room that it lives in.
The module is callable, so that each is where one looks for it:

>>> optimize, Settings = ar.optimize, ar.optimize.settings.Settings     # doctest: +SKIP
>>> smaller, report = ar.optimize("model.tflite", "cortex-m4")          # doctest: +SKIP

Type checkers see the function, :func:`arenite.optimize.optimizer.optimize`.
"""

from arenite.callable_modules import make_callable

make_callable(__name__, "arenite.optimize.optimizer", "optimize")

"""LiteRT's interpreter on Arenite's engine: ``from arenite.litert import Interpreter``.

This is ``ai_edge_litert.interpreter``. Names, arguments, keys, classes of errors and the words that
scripts look for in them are those of LiteRT's ``interpreter.py`` and ``interpreter_wrapper.cc``, so
a script changes its import and nothing else. What differs is meant:

- the numbers are TensorFlow Lite Micro's, or those of ``target``, not XNNPACK's;
- every tensor keeps its value, with or without ``experimental_preserve_all_tensors``;
- there are no delegates; ``num_threads`` share one inference, as in ``arenite.Interpreter``, which
  has ``predict(batch, threads=2)`` as well.
"""

from __future__ import annotations

from arenite.litert.arguments import OpResolverType
from arenite.litert.custom_ops import InterpreterWithCustomOps
from arenite.litert.delegates import Delegate, load_delegate
from arenite.litert.interpreter import Interpreter
from arenite.litert.signatures import SignatureRunner

__all__ = [
    "Delegate",
    "Interpreter",
    "InterpreterWithCustomOps",
    "OpResolverType",
    "SignatureRunner",
    "load_delegate",
]

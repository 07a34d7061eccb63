"""In a process of its own: what an old package of TFLM makes of models.

``python wheel.py FOLDER`` reads a pickled list of ``(model, inputs, number of outputs)`` and writes
a list of ``(status, outputs, log)``; arrays are ``(dtype, shape, bytes)``. It knows nothing of
Arenite, so that it runs with the NumPy that the package was built with. A model that makes the
package crash takes a fork along.
"""

import os
import pickle
import sys
import tempfile
import types
from typing import Any

import numpy as np


def runtime_in(folder: str) -> Any:
    """The package's ``runtime``, without its ``__init__``, which loads TensorFlow."""
    sys.path.insert(0, folder)
    _module("tflite_micro", path=[f"{folder}/tflite_micro"])
    for name in ("tensorflow", "tensorflow.python"):
        _module(name, path=[])
    for place, function in (("platform.gfile", "GFile"), ("util.all_util", "make_all")):
        package, _, name = place.partition(".")
        one = _module(f"tensorflow.python.{place}", **{function: None, "remove_undocumented": None})
        one.remove_undocumented = lambda *_: None
        _module(f"tensorflow.python.{package}", path=[], **{name: one})
    from tflite_micro.python.tflite_micro import runtime

    return runtime


def _module(name: str, path: list[str] | None = None, **members: Any) -> Any:
    made = types.ModuleType(name)
    made.__dict__.update(members)
    if path is not None:
        made.__path__ = path
    sys.modules[name] = made
    return made


def answer(runtime: Any, model: bytes, inputs: list[Any], count: int) -> list[Any]:
    """The outputs of one inference; allocations go to the log."""
    interpreter = runtime.Interpreter.from_bytes(model, arena_size=1 << 22)
    for index, (dtype, shape, data) in enumerate(inputs):
        interpreter.set_input(np.frombuffer(data, dtype).reshape(shape), index)
    interpreter.invoke()
    outputs = [np.array(interpreter.get_output(i)) for i in range(count)]
    interpreter.print_allocations()
    return [(one.dtype.str, one.shape, one.tobytes()) for one in outputs]


def _forked(runtime: Any, question: tuple[Any, ...]) -> tuple[str, list[Any], str]:
    with tempfile.TemporaryFile() as made, tempfile.TemporaryFile() as log:
        child = os.fork()
        if not child:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            try:
                found = "ok", answer(runtime, *question)
            except Exception as error:  # of any kind: it is the package's answer
                print(error, flush=True)
                found = "refused", []
            made.write(pickle.dumps(found))
            made.flush()
            os._exit(0)
        _, ended = os.waitpid(child, 0)
        made.seek(0)
        log.seek(0)
        status, outputs = pickle.loads(made.read()) if ended == 0 else ("crashed", [])
        return status, outputs, log.read().decode(errors="replace")


if __name__ == "__main__":
    package = runtime_in(sys.argv[1])
    questions = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(pickle.dumps([_forked(package, one) for one in questions]))

"""One call in C for a whole inference, where nothing has to happen in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arenite.errors import PredictError
from arenite.ops.context import Array
from arenite.runtime.micro_interpreter import MicroInterpreter

if TYPE_CHECKING:
    from arenite.native.call import Call


def whole_call(micro: MicroInterpreter, arena: tuple[Array, Array] | None = None) -> Call | None:
    """The call, in an interpreter's arena or, given both, in a copy of it; None without one."""
    compiled = micro.compiled
    if compiled is None or micro.profiler is not None:
        return None
    if micro.decompression_memory:  # threads would share it
        return None
    inputs = enumerate(micro.model.inputs)
    if any(micro.input(number).shape != tensor.shape for number, tensor in inputs):
        return None
    return compiled.call(micro.turn, arena)


def shortcut(micro: MicroInterpreter, call: Call) -> Any:
    """The call with its inputs and outputs bound, as methods in C take it."""
    inputs = [micro.input(number) for number in range(len(micro.model.main.inputs))]
    outputs = [micro.output(number) for number in range(len(micro.model.main.outputs))]
    # Otherwise a result has one axis more than an output, or the caller has to be asked.
    has_samples = all(array.shape[:1] == (1,) for array in (*inputs, *outputs))
    predicts = has_samples and len(inputs) == 1 and not micro.is_stateful
    return call.shortcut(inputs, failed=failed, predicts=predicts)


def failed(error: Exception, index: int = 0) -> PredictError:
    """A sample's error, by what it failed with."""
    name = type(error).__name__
    return PredictError(
        f"sample {index}: {name}: {error}" if str(error) else f"sample {index}: {name}", index=index
    )

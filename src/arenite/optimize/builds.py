"""Results of an operator on every build of firmware whose kernels are known.

A pass that evaluates an operator is right only where all of them give the same bits: TFLM's
kernels and CMSIS-NN's, products that are rounded once or twice, and multipliers that are made with
floats or without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from arenite.cores import REPRESENTATIVES
from arenite.errors import AreniteError
from arenite.model import Model, Operator, OptionsTable, Quantization, Subgraph, Tensor, TensorType
from arenite.model.model import Array, constant_bytes
from arenite.ops.registry import traits_of
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target

#: One build for every set of kernels, every rounding, with floats and without.
BUILDS = tuple(
    Target(processor, rounding=rounding, emulate_float=emulate_float)
    for processor in ("host", *REPRESENTATIVES)
    for rounding in ("double", "single")
    for emulate_float in (False, True)
)
#: Scale, zero point: what a table depends on.
Scale = tuple[float, int] | None


def evaluate(operator: Operator, tensors: Sequence[Tensor]) -> list[Array] | None:
    """The outputs of an operator whose inputs are constants, in the shapes that the model says.

    None where builds differ, or one refuses the operator.
    """
    found = evaluations(operator, tensors)
    if found is None or not all(_equal(found[0], outputs) for outputs in found):
        return None
    return found[0]


def evaluations(operator: Operator, tensors: Sequence[Tensor]) -> list[list[Array]] | None:
    """The same for every one of :data:`BUILDS`, which may differ; None where one refuses."""
    model = alone(operator, tensors)
    found = [outputs for build in BUILDS if (outputs := _run(model, build)) is not None]
    return found if len(found) == len(BUILDS) else None


def moved(operator: Operator, tensors: Sequence[Tensor]) -> Array | None:
    """The output of an operator that moves values, for the input 0, 1, 2 ...

    None where builds differ; they are taken modulo a prime below 128.
    """
    index = operator.inputs[0]
    values = (np.arange(tensors[index].size) % 127).astype(tensors[index].type.dtype)
    told = replace(tensors[index], data=constant_bytes(values.reshape(tensors[index].shape)))
    found = evaluate(operator, [*tensors[:index], told, *tensors[index + 1 :]])
    return None if found is None else found[0]


def alone(operator: Operator, tensors: Sequence[Tensor]) -> Model:
    """A model of one operator."""
    used = [i for i in dict.fromkeys((*operator.inputs, *operator.outputs)) if i >= 0]
    numbers = {index: number for number, index in enumerate(used)} | {-1: -1}
    inputs = tuple(numbers[i] for i in operator.inputs)
    outputs = tuple(numbers[i] for i in operator.outputs)
    only = replace(operator, inputs=inputs, outputs=outputs)
    return Model((Subgraph(tuple(tensors[i] for i in used), (only,), (), outputs),))


def _run(model: Model, build: Target) -> list[Array] | None:
    try:
        interpreter = HeapInterpreter(model, target=build)
        interpreter.allocate_tensors()
        interpreter.invoke()
    except AreniteError:
        return None
    outputs = []
    for number, tensor in enumerate(model.outputs):
        value = interpreter.output(number)
        if value.size != tensor.size:
            return None
        outputs.append(value.reshape(tensor.shape).copy())
    return outputs


def _equal(some: list[Array], others: list[Array]) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(some, others, strict=True))


# -- functions of one value ---------------------------------------------------------------

_TABLED = (TensorType.INT8, TensorType.UINT8, TensorType.INT16)


def is_of_one_value(name: str) -> bool:
    """Whether an operator is a function of one value; the second input is a constant of one."""
    traits = traits_of(name)
    return traits.clamps or (traits.converts and traits.values == "function")


def table(
    operator: Operator, x: Tensor, y: Tensor, bound: Tensor | None, *, first: bool = True
) -> Array | None:
    """An operator's results for every value of ``x`` on all builds; None where they differ."""
    found = tables(operator, x, y, bound, first=first)
    if found is None or not all(np.array_equal(found[0], one) for one in found):
        return None
    return found[0]


def tables(
    operator: Operator, x: Tensor, y: Tensor, bound: Tensor | None, *, first: bool = True
) -> tuple[Array, ...] | None:
    """An operator's results for every value of ``x``, from the least one on, build by build.

    ``bound`` is the constant beside ``x``, all of whose elements are one value; ``first`` says
    whether ``x`` is the first input. None where types are not of 8 or 16 bits.
    """
    if not is_of_one_value(operator.name) or operator.is_custom:
        return None
    if x.type not in _TABLED or y.type not in _TABLED or not (_plain(x) and _plain(y)):
        return None
    value = None if bound is None else _only_value(bound)
    if bound is not None and (value is None or bound.type is not x.type):
        return None
    beside = None if bound is None else _scale(bound)
    kinds = (x.type, _scale(x)), (y.type, _scale(y))
    return _tables(operator.name, operator.options, kinds, (value, beside), first)


def every_value(kind: TensorType) -> Array:
    """All values of an integer type, in order."""
    info = np.iinfo(kind.dtype)
    return np.arange(int(info.min), int(info.max) + 1).astype(kind.dtype)


@lru_cache(maxsize=256)
def _tables(
    name: str,
    options: OptionsTable | None,
    kinds: tuple[tuple[TensorType, Scale], tuple[TensorType, Scale]],
    bound: tuple[int | None, Scale],
    first: bool,
) -> tuple[Array, ...] | None:
    (x_type, x_scale), (y_type, y_scale) = kinds
    values = every_value(x_type)
    x = Tensor("x", x_type, values.shape, constant_bytes(values), _quantization(x_scale))
    y = Tensor("y", y_type, values.shape, None, _quantization(y_scale))
    inputs: tuple[int, ...] = (0,)
    tensors = [x, y]
    if bound[0] is not None:
        one = constant_bytes(np.array([bound[0]], x_type.dtype))
        tensors.append(Tensor("c", x_type, (1,), one, _quantization(bound[1])))
        inputs = (0, 2) if first else (2, 0)
    union = options.UNION_TYPE if options else 0
    found = evaluations(Operator(name, inputs, (1,), options, options_type=union), tensors)
    return None if found is None else tuple(outputs[0] for outputs in found)


def _only_value(bound: Tensor) -> int | None:
    value = bound.value
    if value is None or bound.is_variable or not value.size or bound.type not in _TABLED:
        return None
    return int(value.flat[0]) if bool((value == value.flat[0]).all()) else None


def _plain(tensor: Tensor) -> bool:
    """Whether a tensor has at most one scale, and as many zero points."""
    q = tensor.quantization
    return q is None or (len(q.scale) == len(q.zero_point) == 1)


def _scale(tensor: Tensor) -> Scale:
    q = tensor.quantization
    return None if q is None or not _plain(tensor) else (float(q.scale[0]), int(q.zero_point[0]))


def _quantization(scale: Scale) -> Quantization | None:
    if scale is None:
        return None
    return Quantization(np.array([scale[0]], np.float32), np.array([scale[1]], np.int64))

"""Models with one operator: those that only ``.mnn`` files have, and any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arenite.mnn.operators.average_pool import MnnAveragePoolOptions
from arenite.mnn.operators.binary import MnnBinaryOptions
from arenite.mnn.operators.binary_int8 import MnnBinaryInt8Options
from arenite.mnn.operators.conv_int8 import MnnConvInt8Options
from arenite.mnn.operators.cumulate import MnnCumulateOptions
from arenite.mnn.operators.float_to_int8 import MnnFloatToInt8Options
from arenite.mnn.operators.gather_elements import MnnGatherElementsOptions
from arenite.mnn.operators.int8_to_float import MnnInt8ToFloatOptions
from arenite.mnn.operators.layer_norm import MnnLayerNormOptions
from arenite.mnn.operators.lookup import MnnLookupOptions
from arenite.mnn.operators.lrn import MnnLrnOptions
from arenite.mnn.operators.one_hot import MnnOneHotOptions
from arenite.mnn.operators.raster import MnnRasterOptions, Region
from arenite.mnn.operators.reduce import MnnReduceOptions
from arenite.mnn.operators.resize_bilinear_int8 import MnnResizeBilinearInt8Options
from arenite.mnn.operators.resize_cubic import MnnResizeCubicOptions
from arenite.mnn.operators.top_k import MnnTopKOptions
from arenite.mnn.operators.transpose_conv import MnnTransposeConvOptions
from arenite.mnn.operators.unary import MnnUnaryOptions
from arenite.model import Array, Model, ModelBuilder, OptionsTable
from arenite.ops.shared.window import Placement
from tests.variants import interpreter, variants

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Fed:
    """A tensor that is fed, or an output."""

    shape: Shape
    type: str = "float32"
    scale: float | None = None
    zero_point: int = 0


@dataclass(frozen=True)
class Single:
    """One operator with its tensors; arrays are constants."""

    name: str
    inputs: tuple[Fed | Array, ...]
    outputs: tuple[Fed, ...]
    options: OptionsTable | None = None

    def but(self, **changes: Any) -> Single:
        """The operator with other tensors, or another option."""
        own = {key: changes.pop(key) for key in ("inputs", "outputs", "options") if key in changes}
        changed = replace(self, **own)
        if not changes:
            return changed
        assert changed.options is not None
        return replace(changed, options=replace(changed.options, **changes))

    def model(self) -> Model:
        """The operator as a model."""
        b = ModelBuilder()
        inputs = [_added(b, f"x{index}", tensor) for index, tensor in enumerate(self.inputs)]
        outputs = [
            b.tensor(f"y{i}", y.shape, y.type, scale=y.scale, zero_point=y.zero_point)
            for i, y in enumerate(self.outputs)
        ]
        custom = b"" if self.name.startswith("MNN_") else None
        b.operator(self.name, inputs, outputs, self.options, custom_options=custom)
        for output in outputs:
            b.output(output)
        return b.build()


def _added(b: ModelBuilder, name: str, tensor: Fed | Array) -> int:
    if isinstance(tensor, np.ndarray):
        return b.constant(name, tensor)
    return b.input(
        name, tensor.shape, tensor.type, scale=tensor.scale, zero_point=tensor.zero_point
    )


def integers(shape: Shape, seed: int = 0) -> Array:
    """Random weights of int8."""
    return np.random.default_rng(seed).integers(-127, 128, shape).astype(np.int8)


def floats(shape: Shape, seed: int = 0) -> Array:
    """Random numbers of float32."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


X = Fed((1, 4, 5, 3))
Q = Fed((1, 4, 5, 3), "int8", 0.1, 3)


def single(name: str, inputs: Sequence[Any], outputs: Any, options: Any = None) -> Single:
    """A :class:`Single` of ``MNN_<name>``; one output need not be in a tuple."""
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return Single(f"MNN_{name}", tuple(inputs), outputs, options)


def outputs_of(operator: Single, *inputs: Array) -> tuple[Array, ...]:
    """The outputs, in which NumPy and the kernels of every instruction set agree."""
    reference, *native = [_computed(operator.model(), inputs, name) for name in variants()]
    for outputs in native:
        for got, want in zip(outputs, reference, strict=True):
            np.testing.assert_array_equal(got, want, strict=True)
    return reference


def _computed(model: Model, inputs: Sequence[Array], variant: str) -> tuple[Array, ...]:
    running = interpreter(model, variant)
    for index, x in enumerate(inputs):
        running.input(index)[...] = x
    running.invoke()
    return tuple(running.output(index).copy() for index in range(len(model.outputs)))


#: A legal model for each operator, by name.
LEGAL = {
    operator.name: operator
    for operator in (
        single("AVERAGE_POOL", [Q], Fed((1, 2, 2, 3), "int8", 0.1, 3), MnnAveragePoolOptions(
            filter_height=2, filter_width=3, stride_h=2, stride_w=2,
            placement=Placement((2, 2), (0, 0)))),
        single("BINARY", [X, X], X, MnnBinaryOptions("SquaredDifference")),
        single("BINARY_INT8", [Q, Q], Q, MnnBinaryInt8Options("ADD")),
        single("CONV_INT8", [Q, integers((4, 3, 3, 3)), floats((4,)), floats((4,), 1)],
               Fed((1, 2, 3, 4), "int8", 0.1), MnnConvInt8Options(
                   Placement((2, 3), (0, 0)), clamp=(-128, 127))),
        single("CUMULATE", [X], X, MnnCumulateOptions("SUM", 1)),
        single("FLOAT_TO_INT8", [X], Q, MnnFloatToInt8Options((10.0,))),
        single("GATHER_ELEMENTS", [Fed((2, 3)), np.zeros((2, 2), np.int32)], Fed((2, 2)),
               MnnGatherElementsOptions(1)),
        single("INT8_TO_FLOAT", [Q], X, MnnInt8ToFloatOptions((0.1,), 3)),
        single("LAYER_NORM", [X], X, MnnLayerNormOptions(1, 1e-5)),
        single("LOOKUP", [Q], Q, MnnLookupOptions(tuple(range(-128, 128)))),
        single("LRN", [X], X, MnnLrnOptions(3, 0.1, 0.75, axes=(3,))),
        single("ONE_HOT", [Fed((2, 3), "int32"), floats(()), floats((), 1)], Fed((2, 3, 4)),
               MnnOneHotOptions(4, 2)),
        single("RASTER", [Fed((6,))], Fed((3,)), MnnRasterOptions(
            (Region(0, 5, (-2,), 0, (1,), (3,)),))),
        single("REDUCE", [X], Fed((1, 5, 3)), MnnReduceOptions("PROD", (1,))),
        single("RESIZE_BILINEAR_INT8", [Q], Fed((1, 8, 9, 3), "int8", 0.1, 3),
               MnnResizeBilinearInt8Options((8, 9), (0.5, 0.0), (0.5, 0.25))),
        single("RESIZE_CUBIC", [X], Fed((1, 8, 9, 3)), MnnResizeCubicOptions(
            (8, 9), (0.5, 0.0), (0.5, 0.25))),
        single("SELECT", [Fed((3,), "int32"), Fed((2, 3)), Fed((2, 1))], Fed((2, 3))),
        single("TILE", [Fed((2, 3)), np.array([2, 1], np.int32)], Fed((4, 3))),
        single("TOP_K", [X], (Fed((1, 2, 5, 3)), Fed((1, 2, 5, 3), "int32")), MnnTopKOptions(2, 1)),
        single("TRANSPOSE_CONV", [X, floats((1, 2, 2, 3, 4))], Fed((1, 5, 6, 4)),
               MnnTransposeConvOptions((5, 6), dilation=(1, 2))),
        single("UNARY", [X], X, MnnUnaryOptions("ERF")),
    )
}  # fmt: skip

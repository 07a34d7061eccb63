"""Build a :class:`Model` in Python, tensor by tensor and operator by operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arenite.model.model import (
    Array,
    Model,
    Operator,
    Quantization,
    SignatureDef,
    Subgraph,
    Tensor,
    constant_bytes,
)
from arenite.model.options import OptionsTable
from arenite.model.types import TensorType
from arenite.options import instance, optional, several, whole

#: What a tensor's type may be given as: ``TensorType.INT8``, ``"int8"`` or ``np.int8``.
Type: TypeAlias = "TensorType | str | np.dtype[Any] | type[np.generic]"


_DIMENSIONS = several(whole(), "dimensions")
_TENSORS = several(whole(), "tensors' indices")


class ModelBuilder:
    """Collects the tensors and operators of one subgraph.

    Every method that adds a tensor returns its index, which the next calls take.

    >>> b = ModelBuilder()
    >>> x = b.input("x", (1, 4), "int8", scale=0.5, zero_point=0)
    >>> y = b.tensor("y", (1, 4), "int8", scale=0.5, zero_point=0)
    >>> b.operator("RELU", [x], [y])
    >>> b.output(y)
    >>> model = b.build()
    """

    def __init__(self, name: str = "main") -> None:
        self._name = name
        self._tensors: list[Tensor] = []
        self._operators: list[Operator] = []
        self._inputs: list[int] = []
        self._outputs: list[int] = []

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        type: Type,  # noqa: A002 - the schema's name
        *,
        scale: npt.ArrayLike | None = None,
        zero_point: npt.ArrayLike = 0,
        quantized_dimension: int = 0,
        is_variable: bool = False,
        data: Array | None = None,
    ) -> int:
        """Add a tensor. ``scale`` and ``zero_point`` are a number, or one per channel."""
        _DIMENSIONS("shape", shape)
        self._tensors.append(
            Tensor(
                name=name,
                type=_tensor_type(type),
                shape=tuple(int(n) for n in shape),
                data=data,
                quantization=_quantization(scale, zero_point, quantized_dimension),
                is_variable=is_variable,
                buffer=len(self._tensors) + 1 if data is not None else 0,
            )
        )
        return len(self._tensors) - 1

    def input(
        self,
        name: str,
        shape: Sequence[int],
        type: Type,  # noqa: A002
        *,
        scale: npt.ArrayLike | None = None,
        zero_point: npt.ArrayLike = 0,
    ) -> int:
        """Add a tensor that the caller feeds."""
        index = self.tensor(name, shape, type, scale=scale, zero_point=zero_point)
        self._inputs.append(index)
        return index

    def constant(
        self,
        name: str,
        value: npt.ArrayLike,
        type: Type | None = None,  # noqa: A002
        *,
        shape: Sequence[int] | None = None,
        scale: npt.ArrayLike | None = None,
        zero_point: npt.ArrayLike = 0,
        quantized_dimension: int = 0,
    ) -> int:
        """Add a constant. For packed types (int4) give the bytes, ``type`` and ``shape``."""
        array = np.asarray(value)
        return self.tensor(
            name,
            array.shape if shape is None else shape,
            TensorType.of(array.dtype) if type is None else type,
            scale=scale,
            zero_point=zero_point,
            quantized_dimension=quantized_dimension,
            data=constant_bytes(array),
        )

    def variable(
        self,
        name: str,
        shape: Sequence[int],
        type: Type,  # noqa: A002
        *,
        scale: npt.ArrayLike | None = None,
        zero_point: npt.ArrayLike = 0,
    ) -> int:
        """Add a tensor that keeps its value from one inference to the next."""
        return self.tensor(name, shape, type, scale=scale, zero_point=zero_point, is_variable=True)

    def operator(
        self,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: OptionsTable | None = None,
        *,
        custom_options: bytes | None = None,
        intermediates: Sequence[int] = (),
        version: int = 1,
    ) -> None:
        """Add an operator; ``custom_options`` (may be empty) makes it a custom one."""
        for what, tensors in (
            ("inputs", inputs),
            ("outputs", outputs),
            ("intermediates", intermediates),
        ):
            _TENSORS(what, tensors)
        optional(instance(OptionsTable, expected="a table of options"))("options", options)
        self._operators.append(
            Operator(
                name=name,
                inputs=tuple(inputs),
                outputs=tuple(outputs),
                options=options,
                custom_options=custom_options or b"",
                is_custom=custom_options is not None,
                intermediates=tuple(intermediates),
                version=version,
                options_type=options.UNION_TYPE if options else 0,
            )
        )

    def output(self, index: int) -> None:
        """Mark a tensor as an output."""
        self._outputs.append(index)

    def subgraph(self) -> Subgraph:
        """Subgraph of what was added so far."""
        return Subgraph(
            tensors=tuple(self._tensors),
            operators=tuple(self._operators),
            inputs=tuple(self._inputs),
            outputs=tuple(self._outputs),
            name=self._name,
        )

    def __repr__(self) -> str:
        return (
            f"<ModelBuilder {self._name!r}: {len(self._tensors)} tensors, "
            f"{len(self._operators)} operators>"
        )

    def build(
        self,
        description: str = "",
        metadata: Mapping[str, bytes] | None = None,
        signatures: Sequence[SignatureDef] = (),
        subgraphs: Sequence[Subgraph] = (),
    ) -> Model:
        """Model whose main subgraph is what was added so far.

        ``subgraphs`` are the others, which operators call by number: the first one is 1.
        """
        return Model(
            subgraphs=(self.subgraph(), *subgraphs),
            description=description,
            metadata=dict(metadata or {}),
            signatures=tuple(signatures),
        )


def _tensor_type(type_: Type) -> TensorType:
    """A type by its name in the schema (``"int4"``), or as NumPy has it (``np.float32``)."""
    if isinstance(type_, TensorType):
        return type_
    if isinstance(type_, str) and type_.upper() in TensorType.__members__:
        return TensorType[type_.upper()]
    try:
        return TensorType.of(np.dtype(type_))
    except TypeError:
        names = ", ".join(one.name.lower() for one in TensorType)
        raise ValueError(f"expected a type of {names}, got {type_!r}") from None


def _quantization(
    scale: npt.ArrayLike | None, zero_point: npt.ArrayLike, quantized_dimension: int
) -> Quantization | None:
    if scale is None:
        return None
    scales = np.atleast_1d(np.asarray(scale, np.float32))
    zero_points = np.broadcast_to(np.asarray(zero_point, np.int64), scales.shape).copy()
    return Quantization(scales, zero_points, quantized_dimension)

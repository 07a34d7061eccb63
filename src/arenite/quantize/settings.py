"""Settings of a quantisation, as a user asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from arenite.boards import Board
from arenite.model import TensorType
from arenite.model.types import FLOAT32, INT8, INT16
from arenite.quantize.ranges import METHODS
from arenite.target import Target

Activations = Literal["int8", "int16"]
Dense = Literal["unit", "tensor"]
Ports = Literal["integer", "float"]
#: The passes, in the order in which they run.
PASSES = ("ranges", "smooth", "round", "correct")
DEFAULT_PASSES = ("ranges", "smooth", "correct")
#: Those that run a second time when precisions have been mixed.
AGAIN = ("round", "correct")

TYPES: Mapping[str, TensorType] = {"int8": INT8, "int16": INT16}


@dataclass(frozen=True)
class Budget:
    """Limits of what the result may cost and lose; None where there is no limit.

    Attributes:
        ram: Bytes of the arena.
        flash: Bytes of the model's file.
        milliseconds: Of an inference.
        clock: In MHz, for the time.
        min_sqnr: Of the outputs, in dB.
        max_drop: Of the accuracy, as a share: 0.005.
        board: Where it shall run, whose flash decides on the time.
    """

    ram: int | None = None
    flash: int | None = None
    milliseconds: float | None = None
    clock: float | None = None
    min_sqnr: float | None = None
    max_drop: float | None = None
    board: Board | None = None

    @property
    def is_quality(self) -> bool:
        """Whether somebody said how good the result has to be."""
        return self.min_sqnr is not None or self.max_drop is not None

    @property
    def is_limit(self) -> bool:
        """Whether there is any."""
        costs = (self.ram, self.flash, self.milliseconds)
        return any(one is not None for one in (*costs, self.min_sqnr, self.max_drop))


@dataclass(frozen=True)
class Settings:
    """Settings of a user, checked.

    Attributes:
        activations: The integers that values are.
        ports: Whether inputs and outputs are such integers as well, or floats.
        keep_float: Operators that stay float: names (``"SOFTMAX"``), positions (``"7"``) or names
            of what they compute.
        method: How ranges are taken, where the pass ``ranges`` does not choose.
        dense: Whether fully connected layers have a scale per ``"unit"`` or per ``"tensor"``.
        passes: Which of :data:`PASSES` run.
        target: Whose bits judge; None is TFLM's own package.
        budget: What the result may cost and lose.
        ends: Types of inputs and of outputs where they are said one by one, as TensorFlow Lite's
            converter has them (``inference_input_type``): NumPy's, TensorFlow's or their names.

    Raises:
        ValueError: There is no such value.
    """

    activations: Activations = "int8"
    ports: Ports = "integer"
    keep_float: tuple[str, ...] = ()
    method: str = "minmax"
    dense: Dense = "unit"
    passes: tuple[str, ...] = DEFAULT_PASSES
    target: Target | None = None
    budget: Budget = Budget()
    ends: tuple[Any, Any] = (None, None)

    def __post_init__(self) -> None:
        _one_of("activations", self.activations, get_args(Activations))
        _one_of("io", self.ports, get_args(Ports))
        _one_of("dense", self.dense, get_args(Dense))
        _one_of("a range method", self.method, tuple(METHODS))
        for name in self.passes:
            _one_of("a pass", name, PASSES)
        _ = self.port_types

    @property
    def kind(self) -> TensorType:
        """The type of values."""
        return TYPES[self.activations]

    @property
    def port_types(self) -> tuple[TensorType, TensorType]:
        """Types of inputs and outputs."""
        usual = FLOAT32 if self.ports == "float" else self.kind
        first, last = (
            usual if given is None else self._end(f"inference_{side}_type", given)
            for side, given in zip(("input", "output"), self.ends, strict=True)
        )
        return first, last

    def _end(self, name: str, given: Any) -> TensorType:
        try:
            dtype = str(np.dtype(getattr(given, "as_numpy_dtype", given)))
        except TypeError:
            dtype = str(given)
        kinds = {str(self.kind): self.kind, str(FLOAT32): FLOAT32}
        if dtype not in kinds:
            raise ValueError(
                f"expected {name} of {', '.join(kinds)} where values are {self.kind}, got {dtype}"
            )
        return kinds[dtype]


def _one_of(what: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise ValueError(f"expected {what} of {', '.join(known)}, got {given!r}")

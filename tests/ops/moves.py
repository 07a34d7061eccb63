"""Models of operators that move elements to where other inputs say, which may be fed."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder, OptionsTable
from tests.ops import differential
from tests.ops.differential import random_array
from tests.oracle import Oracle

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Move(NamedTuple):
    """A model, and what is fed to it behind its first input."""

    model: Model
    fed: tuple[Array, ...] = ()

    def inputs(self, seed: int) -> list[Array] | None:
        """What ``agrees`` is to feed; None leaves it to ``agrees``."""
        if not self.fed:
            return None
        data = self.model.inputs[: len(self.model.inputs) - len(self.fed)]
        rng = np.random.default_rng(seed)
        return [*(random_array(tensor, rng) for tensor in data), *self.fed]


def moving(
    name: str,
    shapes: tuple[Shape, Shape],
    kind: str,
    numbers: Sequence[Array],
    options: OptionsTable | None = None,
    *,
    fed: bool = False,
    **quantized: Any,
) -> Move:
    """``shapes`` are the input's and the output's; ``numbers`` are the inputs behind."""
    b = ModelBuilder()
    inputs = [b.input("x", shapes[0], kind, **quantized)]
    for index, values in enumerate(numbers):
        label = f"i{index}"
        inputs.append(
            b.input(label, values.shape, str(values.dtype)) if fed else b.constant(label, values)
        )
    y = b.tensor("y", shapes[1], kind, **quantized)
    b.operator(name, inputs, [y], options)
    b.output(y)
    return Move(b.build(), tuple(numbers) if fed else ())


def moves_equal_tflms(moves: st.SearchStrategy[Move]) -> Callable[..., None]:
    """A test of an operator on random models, with what they are fed."""

    @differential.differential
    @given(move=moves, seed=differential.SEEDS)
    def test_equals_tflm(oracle: Oracle, move: Move, seed: int) -> None:
        differential.agrees(oracle, move.model, seed, inputs=move.inputs(seed), invokes=3)

    return test_equals_tflm

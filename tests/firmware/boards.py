"""Random layers side by side in one model, built once and run on an emulated core."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from arenite.errors import UndefinedWarning
from arenite.firmware.board import Board
from arenite.model import Model, Operator
from tests.firmware.bulk import INVOKES, Case, Tally
from tests.ops.differential import assert_same

Array = np.ndarray[Any, Any]

#: Emulated cores by their short names.
CORES = {
    **{"m0": "cortex-m0", "m3": "cortex-m3", "m4": "cortex-m4"},
    **{"m7": "cortex-m7", "m33": "cortex-m33", "riscv": "esp32c3"},
}


def stands_alone(case: Case) -> bool:
    """Whether a model can lie beside others.

    It has one subgraph, no names that others know, and does not end inferences.
    """
    names = {op.name for op in case.model.main.operators}
    return len(case.model.subgraphs) == 1 and not names & {"VAR_HANDLE", "CIRCULAR_BUFFER"}


def side_by_side(models: Sequence[Model]) -> Model:
    """One model with all tensors and operators of some."""
    tensors, operators, inputs, outputs = [], list[Operator](), list[int](), list[int]()
    for model in models:
        move, main = _by(len(tensors)), model.main
        tensors += main.tensors
        operators += [
            replace(
                op,
                inputs=move(op.inputs),
                outputs=move(op.outputs),
                intermediates=move(op.intermediates),
            )
            for op in main.operators
        ]
        inputs += move(main.inputs)
        outputs += move(main.outputs)
    main = replace(
        models[0].main,
        tensors=tuple(tensors),
        operators=tuple(operators),
        inputs=tuple(inputs),
        outputs=tuple(outputs),
    )
    return replace(models[0], subgraphs=(main,), metadata={}, signatures=(), format="")


def _by(first: int) -> Callable[[Sequence[int]], tuple[int, ...]]:
    return lambda indices: tuple(i + first if i >= 0 else i for i in indices)


def compared_on(processor: str, cases: Sequence[Case]) -> Tally:
    """The first inferences of all models on a core, next to the reference."""
    tally = Tally()
    if not cases:
        return tally
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        board = Board(side_by_side([case.model for case in cases]), processor, name="cases")
    wrong: dict[str, str] = {}
    for number in range(INVOKES):
        given = board(*(array for case in cases for array in case.steps[number]))
        tally.stack = max(tally.stack, board.stack_bytes)
        left = list(given) if isinstance(given, tuple | list) else [given]
        for case in cases:
            for wanted in case.outputs[number]:
                try:
                    assert_same(left.pop(0), wanted, case.model, number)
                except AssertionError as error:
                    wrong.setdefault(case.name, str(error)[:1500])
    tally.equal = len(cases) - len(wrong)
    tally.different = [f"{name}: {why}" for name, why in wrong.items()]
    return tally

"""The operators' own tests against TFLM, run with another judge.

Each file in ``tests/ops`` has a ``test_equals_tflm``, which draws models with one operator and
hands them to ``agrees``, with inputs and a number of inferences. Here the same models go to a
function of the caller's.
"""

import warnings
from collections.abc import Callable

import numpy as np
from hypothesis import settings

from arenite.errors import UndefinedWarning
from arenite.model import Array, Model
from arenite.ops.registry import builtin_names, custom_names, traits_of
from tests.ops.differential import CASES, differential, judge_with, random_array
from tests.steps import RESET, Step

#: Those that TFLM's package has: none that needs an NPU's compiler to make a model of it.
OPERATORS = [
    name for name in (*builtin_names(), *custom_names()) if not traits_of(name).operands_are_placed
]


def judge(name: str, agrees: Callable[..., None], cases: int = CASES) -> None:
    """Run ``test_equals_tflm`` of an operator with ``agrees`` in the place of its own."""
    with warnings.catch_warnings():  # models may get to what TFLM leaves undefined
        warnings.simplefilter("ignore", UndefinedWarning)
        judge_with(name, agrees, settings(differential, max_examples=cases))


def steps_of(
    model: Model,
    seed: int,
    *,
    inputs: list[Array] | None = None,
    invokes: int = 1,
    reset: bool = False,
    float_rtol: float = 0.0,
    defined: object = None,
) -> list[Step]:
    """What :func:`tests.ops.differential.agrees` feeds for the same arguments."""
    rng = np.random.default_rng(seed)
    one: list[Step] = [
        inputs if inputs is not None else [random_array(t, rng) for t in model.inputs]
        for _ in range(invokes)
    ]
    return [*one, RESET, *one] if reset else one

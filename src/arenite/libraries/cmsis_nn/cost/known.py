"""The costs of CMSIS-NN's and TFLM's kernels on a Cortex-M, as other rooms ask for them."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.cost.estimate import PROCESSORS, cost_of, error_of
from arenite.libraries.cmsis_nn.cost.instructions import instruction_counts
from arenite.libraries.cmsis_nn.cost.loops import loops_of
from arenite.libraries.costs import Costs


def costs(*, is_complete: bool, words: str) -> Costs:
    """The tables' contents; ``words`` say of which kernels, at the end of a sentence."""
    return Costs(PROCESSORS, is_complete, words, loops_of, cost_of, error_of, instruction_counts)

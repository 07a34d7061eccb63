"""The costs of CMSIS-NN's and TFLM's kernels on a Cortex-M, as other rooms ask for them."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.cost.estimate import COMPLETE, PROCESSORS, cost_of, error_of
from arenite.libraries.cmsis_nn.cost.instructions import instruction_counts
from arenite.libraries.cmsis_nn.cost.loops import loops_of
from arenite.libraries.costs import Costs


def costs(*, is_library: bool, words: str) -> Costs:
    """The tables' contents, for CMSIS-NN or, without its kernels, for TFLM.

    ``words`` say of which kernels, at the end of a sentence.
    """
    complete = COMPLETE if is_library else ()
    return Costs(PROCESSORS, complete, words, loops_of, cost_of, error_of, instruction_counts)

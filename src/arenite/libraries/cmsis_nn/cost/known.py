"""The costs of CMSIS-NN's and TFLM's kernels on a Cortex-M, as other rooms ask for them."""

from __future__ import annotations

from arenite.libraries.cmsis_nn.cost.estimate import COMPLETE, PROCESSORS, cost_of, error_of
from arenite.libraries.cmsis_nn.cost.instructions import instruction_counts
from arenite.libraries.cmsis_nn.cost.loops import loops_of
from arenite.libraries.costs import Costs

COSTS = Costs(
    PROCESSORS,
    COMPLETE,
    known="of kernels that were measured",
    loops_of=loops_of,
    cost_of=cost_of,
    error_of=error_of,
    instruction_counts=instruction_counts,
)

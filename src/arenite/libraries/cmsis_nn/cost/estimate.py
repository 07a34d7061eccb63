"""Cost of an operator on a Cortex-M: instructions and cycles of one inference.

An estimate is a sum over loops: how often each level of a C function's loops runs
(:mod:`arenite.libraries.cmsis_nn.cost.loops`, exact, from shapes) times what one pass of it costs
(:mod:`arenite.libraries.cmsis_nn.cost.steps`, counted in compiled code on random layers). One
constant comes from a model: how SOFTMAX's values split into near and far ones was chosen on
kws_int8.

``benchmarks/results/cortex_m.json`` holds what was measured to check this. How far estimates of
single operators were off is in :data:`arenite.libraries.cmsis_nn.cost.steps.ERRORS`. Data that
decides how long a kernel takes was random there: floats of a normal distribution with a deviation
of 2, integers of the whole range.
"""

from __future__ import annotations

from arenite.cores import CORES
from arenite.libraries.cmsis_nn.cost.loops import loops_of
from arenite.libraries.cmsis_nn.cost.loops.kind import kernel_of
from arenite.libraries.cmsis_nn.cost.steps import ERRORS, STEPS, Steps
from arenite.libraries.costs import Cost, Error, Line, Loop
from arenite.libraries.path import Path
from arenite.ops.constraints import NodeView
from arenite.target import OPTIMIZE, Target, find_target

#: The library in whose build errors were measured: the one that this folder is about.
_MEASURED_IN = "cmsis_nn"
#: Processors whose costs are known.
PROCESSORS = tuple(name for name, level in STEPS if level == OPTIMIZE)

#: Those of which kernels of all types were measured, not of int8 alone.
COMPLETE = tuple(
    name
    for (name, level), steps in STEPS.items()
    if level == OPTIMIZE and "CONV_2D, float32" in steps
)

#: How far their costs may be off.
ACCURACY = {core.name: core.accuracy for core in CORES.values() if core.accuracy}


def cost_of(view: NodeView, path: Path | None, target: Target | str) -> Cost | None:
    """The cost of one operator, None where there is no model of its kernel.

    Args:
        view: The operator with its tensors.
        path: The function that its work goes to; None if TFLM has no CMSIS-NN kernel for it.
        target: One of :data:`PROCESSORS`.

    Raises:
        ValueError: The costs of that processor are not known.
    """
    built = find_target(target)
    if built.processor not in PROCESSORS:
        raise ValueError(f"expected a target of {', '.join(PROCESSORS)}, got {built.processor!r}")
    steps = STEPS.get((built.processor, built.optimize), {})
    loops = loops_of(view, path, built)
    if loops is None or any(loop.step not in steps.get(loop.function, {}) for loop in loops):
        return None
    return Cost(tuple(_line(loop, steps) for loop in loops))


def error_of(view: NodeView, target: Target | str) -> Error | None:
    """Errors of estimates of such operators; None if that was not measured."""
    built = find_target(target)
    found = ERRORS.get((built.processor, built.optimize), {}).get(kernel_of(view))
    if found is None or built.library != _MEASURED_IN:
        return None
    median, worst, layers = found
    return Error(median / 100, worst / 100, layers)


def _line(loop: Loop, steps: Steps) -> Line:
    instructions, cycles = steps[loop.function][loop.step]
    return Line(loop, loop.times * instructions, loop.times * cycles)

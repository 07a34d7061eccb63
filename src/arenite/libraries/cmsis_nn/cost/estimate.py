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

#: Those whose own kernels were counted.
COUNTED = tuple(name for name in PROCESSORS if not CORES[name].costs)

#: Those of which kernels of all types were measured, not of int8 alone.
COMPLETE = tuple(
    name
    for (name, level), steps in STEPS.items()
    if level == OPTIMIZE and name in COUNTED and "CONV_2D, float32" in steps
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
    loops = loops_of(view, path, built)
    own, usual = (STEPS.get((built.processor, one), {}) for one in (built.optimize, OPTIMIZE))
    lines = None if loops is None else [_line(loop, own) or _line(loop, usual) for loop in loops]
    if loops is None or lines is None or None in lines:
        return None
    is_borrowed = any(_line(loop, own) is None for loop in loops)
    return Cost(tuple(line for line in lines if line is not None), is_borrowed)


def error_of(view: NodeView, target: Target | str) -> Error | None:
    """Errors of estimates of such operators; None if that was not measured."""
    built = find_target(target)
    found = ERRORS.get((built.processor, built.optimize), {}).get(kernel_of(view))
    if found is None or built.library != _MEASURED_IN:
        return None
    median, worst, layers = found
    return Error(median / 100, worst / 100, layers)


def _line(loop: Loop, steps: Steps) -> Line | None:
    """Cost of its passes; None where that was not measured."""
    found = steps.get(loop.function, {}).get(loop.step)
    return None if found is None else Line(loop, loop.times * found[0], loop.times * found[1])

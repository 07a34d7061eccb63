"""Common parts of all operators' decisions: the way to ESP-NN's kernel, and what may overlap.

Facts: esp-tflite-micro ``micro/kernels/esp_nn/*.cc``; esp-nn ``src/*/*_opt.c`` and ``*_ansi.c`` go
through pixels and channels in the reference's order.
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.libraries.esp_nn.dispatch.scratch import Parts, size
from arenite.libraries.esp_nn.dispatch.versions import function
from arenite.libraries.path import Condition, Path, Questions, Scratch
from arenite.model import TensorType
from arenite.ops import NodeView, builtin
from arenite.ops.overlap import Clearance
from arenite.target import Target


def is_int8(view: NodeView, *inputs: int) -> Condition:
    """Whether these inputs, or the first one, are int8."""
    types = [view.input(index).type for index in inputs or (0,)]
    words = " and ".join(map(str, types))
    return Condition(f"values are int8: {words}", set(types) == {TensorType.INT8})


def one_buffer(parts: Parts) -> tuple[Scratch, ...]:
    """Buffer that a kernel asks for at once, none of 0 bytes; the purpose names its parts."""
    total = size(parts)
    words = " + ".join(f"{count} {name}" for name, count in parts.items() if count)
    return (Scratch(total, words),) if total else ()


def to_kernel(
    questions: Questions, kernel: str, target: Target, parts: Parts | None = None
) -> Path:
    """The path to what the name of a kernel stands for on the target's chip."""
    return questions.path(function(kernel, target), scratch=one_buffer(parts or {}))


def decides_int8(
    kernel: str, reference: str, *others: Callable[[NodeView], Condition]
) -> Callable[[NodeView, Target], Path]:
    """A decision by type, and by other conditions, between a kernel and TFLM's ``reference``."""

    def decide(view: NodeView, target: Target) -> Path:
        questions = Questions()
        asked = is_int8(view), *(condition(view) for condition in others)
        if not questions.hold(f"esp_nn_{kernel}_s8", *asked):
            return questions.reference(reference)
        return to_kernel(questions, kernel, target)

    return decide


def overlap(view: NodeView, position: int, path: Path, target: Target) -> Clearance | None:
    """The reference's distances for generic C; of the chips' assembly nothing is known."""
    if target.instructions != "plain":
        return None
    reference = builtin(view.name)
    if reference is None or reference.overlap is None:
        return None
    return reference.overlap(view, position)

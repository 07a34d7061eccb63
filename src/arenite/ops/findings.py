"""Facts that a constraint found not to be as it demands, in words.

The rule is a constraint's docstring. What is there instead is what the constraint looked at: it is
asked again, with a view of the node that notes every fact that it reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, SupportsIndex

import numpy as np

from arenite.model.text import printable
from arenite.ops.constraints import Constraint, NodeView
from arenite.ops.context import TfLiteTensor

#: Elements of a constant that are shown at most.
_SHOWN = 8
_Fact = tuple[str, int]
_Tensors = tuple[TfLiteTensor | None, ...]


class _Notes:
    """Facts that were read: attributes by tensor, options, and numbers of tensors."""

    def __init__(self) -> None:
        self.tensors: dict[_Fact, dict[str, None]] = {}
        self.options: dict[str, Any] = {}
        self.counted: dict[str, int] = {}


class _Tensor:
    """A tensor that notes what is read of it."""

    def __init__(self, tensor: TfLiteTensor, fact: _Fact, notes: _Notes) -> None:
        self._tensor, self._fact, self._notes = tensor, fact, notes

    def __getattr__(self, name: str) -> Any:
        self._notes.tensors.setdefault(self._fact, {})[name] = None
        return getattr(self._tensor, name)


class _Options:
    """Options that note what is read of them."""

    def __init__(self, options: Any, notes: _Notes) -> None:
        self._options, self._notes = options, notes

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._options, name)
        self._notes.options[name] = value
        return value


class _Row(tuple[Any, ...]):
    """Inputs or outputs that note that they were counted, and which of them were absent."""

    side: str
    notes: _Notes

    def __len__(self) -> int:
        count = tuple.__len__(self)
        self.notes.counted[self.side] = count
        return count

    def __iter__(self) -> Iterator[Any]:
        for index, one in enumerate(tuple.__iter__(self)):
            self._note(index, one)
            yield one

    def __contains__(self, thing: object) -> bool:
        return any(one is thing or one == thing for one in self)

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        if isinstance(index, SupportsIndex):
            self._note(int(index) % max(tuple.__len__(self), 1), found)
        return found

    def _note(self, index: int, one: object) -> None:
        if one is None:
            self.notes.tensors.setdefault((self.side, index), {})["absent"] = None


def _noting(row: _Tensors, side: str, notes: _Notes) -> _Row:
    found = _Row(
        None if one is None else _Tensor(one, (side, index), notes) for index, one in enumerate(row)
    )
    found.side, found.notes = side, notes
    return found


def found(node: NodeView, constraint: Constraint) -> str:
    """The facts that a constraint looks at, with their values."""
    notes = _Notes()
    inputs, outputs = (
        _noting(row, side, notes)
        for row, side in ((node.inputs, "input"), (node.outputs, "output"))
    )
    view = NodeView(node.name, inputs, outputs, _Options(node.options, notes))
    try:
        constraint(view)
    except Exception:
        notes.counted.setdefault("input", tuple.__len__(inputs))
    return _words(node, notes) or _words(node, _everything(node))


def _everything(node: NodeView) -> _Notes:
    """Types and shapes of all tensors: where a constraint's reading left no trace."""
    notes = _Notes()
    for side, row in (("input", node.inputs), ("output", node.outputs)):
        for index, one in enumerate(row):
            notes.tensors[side, index] = {"absent" if one is None else "type": None}
    return notes


def _words(node: NodeView, notes: _Notes) -> str:
    counts = [f"{count} {side}{'' if count == 1 else 's'}" for side, count in notes.counted.items()]
    parts = [f"has {' and '.join(counts)}"] if counts else []
    rows = {"input": node.inputs, "output": node.outputs}
    for (side, index), read in notes.tensors.items():
        tensor = rows[side][index]
        if tensor is None:
            parts.append(f"{side} {index} is absent")
        else:
            parts.append(f"{side} {index} {_tensor(tensor, read)}")
    parts += [f"{name} is {value}" for name, value in notes.options.items()]
    return "; ".join(parts)


def _tensor(tensor: TfLiteTensor, read: dict[str, None]) -> str:
    """Name, type and shape, and what else was read."""
    shape = ",".join(map(str, tensor.shape))
    words = f"({printable(tensor.name)!r}) is {tensor.type}[{shape}]"
    more = [text for name in read if (text := _fact(tensor, name))]
    return ", ".join((words, *dict.fromkeys(more)))


def _fact(tensor: TfLiteTensor, name: str) -> str:
    if name in ("data", "is_constant"):
        return _value(tensor)
    if name in ("scale", "zero_point", "scale_count", "quantization"):
        return _quantization(tensor)
    return "a variable" if name == "is_variable" and tensor.is_variable else ""


def _value(tensor: TfLiteTensor) -> str:
    if tensor.data is None:
        return "which is no constant: it is computed, or given, at run time"
    if tensor.data.dtype == np.uint8 or tensor.data.size > _SHOWN:
        return "a constant"
    return f"a constant of {tensor.data.tolist()}"


def _quantization(tensor: TfLiteTensor) -> str:
    if not tensor.scale_count:
        return "not quantised"
    scale = f"scale {tensor.scale:g}" if tensor.scale_count == 1 else f"{tensor.scale_count} scales"
    return f"{scale}, zero point {tensor.zero_point}"

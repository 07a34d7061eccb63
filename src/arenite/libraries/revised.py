"""Operators as an earlier TFLM has them: today's, with what the rows of ``revisions/`` undo.

- ``operator``: there is none.
- ``library``: the library had no kernel of its own, and TFLM's ran.
- ``types``, ``scales``: what it refused then is refused, with the day from which on it is not;
  of the scales of ``first`` channels, the others had no effect.
- ``options``: fields that had no effect have the value that they had in effect (``name=number``;
  with ``/number`` behind it, unless they have this one), where types are named, for outputs of
  these.
- ``ratios``: ratios of scales were computed in single precision.
- ``memory``: scratch buffers that there were not, or that lay in the tail (``purpose: none`` or
  ``purpose: persistent``), and persistent ones that there are no more: ``purpose: 4 per input of
  int8``. Results do not depend on them.
- ``other``: what is known to have changed and is not modelled is warned about.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from arenite.libraries.glue import Unaccounted
from arenite.ops import Context, NativeKernel, Node, OpResolver, Registration, TfLiteTensor, builtin
from arenite.ops.constraints import Constraint, NodeView, view_of
from arenite.revisions.changes import Change, all_before, came, missing
from arenite.revisions.known import Revision, revision_of
from arenite.target import Target

Prepare = Callable[[Context, Node], Any]
Bytes = npt.NDArray[np.uint8]


class RevisedResolver:
    """Finds what ``resolver`` finds, as it was in the target's revision of TFLM.

    A registration of the user's in ``given`` stays as it is.
    """

    def __init__(self, resolver: OpResolver, given: OpResolver, target: Target) -> None:
        self.is_whole = getattr(resolver, "is_whole", False)
        self._resolver, self._given = resolver, given
        self._revision, self._library = revision_of(target.tflm), target.library
        self._release = target.release
        self._builds = ("package", "") if target.abi == "lp64" else ("",)

    def find(self, name: str) -> Registration | None:
        """The registration of a builtin or custom name, or None."""
        found = self._resolver.find(name)
        if found is None or self._given.find(name) != builtin(name):
            return found
        if self._is_unregistered(name) or missing(name, self._revision, self._builds):
            return None
        own = all_before(self._revision.date, "library", f"{self._library}.{name}")
        if any(not row.before for row in own):
            return self._as_then(self._given.find(name) or found, name, (name,))
        return self._as_then(found, name, (f"{self._library}.{name}", name))

    def _as_then(self, found: Registration, name: str, subjects: tuple[str, ...]) -> Registration:
        options, memory = self._row("options", subjects), self._row("memory", subjects)
        ratios, scales = self._row("ratios", subjects), self._rows("scales", subjects)
        single = ratios is not None and ratios.before == "single"
        scales = [row for row in scales if row.since == scales[0].since]
        first = any(row.before.endswith("first") for row in scales)
        rows = [*self._rows("types", subjects), *([] if first else scales)]
        refused = [_refuses(row, self._revision) for row in rows]
        if refused:
            found = replace(found, constraints=(*found.constraints, *refused))
        if (options or memory or single or first) and found.prepare is not None:
            seen = _Scales(is_single=single, is_first=first)
            found = _prepared(found, _prepare(found.prepare, options, memory, seen))
        others = self._rows("other", subjects)
        whole = [row for row in others if not row.before][:1]  # says enough
        for other in whole or others:
            if found.prepare is not None:
                found = _prepared(found, _warning(found.prepare, other, self._revision))
        return found

    def _row(self, what: str, subjects: tuple[str, ...]) -> Change | None:
        """The row that holds; the library's and the package's own before those of all builds."""
        return next(iter(self._rows(what, subjects)), None)

    def _rows(self, what: str, subjects: tuple[str, ...]) -> list[Change]:
        kinds = [(subject, build) for subject in subjects for build in self._builds]
        return [
            row
            for subject, build in kinds
            for row in all_before(self._revision.date, what, subject, build)
        ]

    def _is_unregistered(self, name: str) -> bool:
        """Whether the SDK registers its operators itself, and this is none of them."""
        known = frozenset() if self._release is None else self._release.operators
        return bool(known) and name not in known

    def came(self, name: str) -> str:
        """A sentence on an operator that the revision lacks; empty if it has it."""
        if self._release is not None and self._is_unregistered(name):
            return f"{self._release.called} registers no {name}"
        return came(name, self._revision, self._builds)

    def __repr__(self) -> str:
        return f"{self._resolver!r} of {self._revision.title}"


def _prepared(found: Registration, prepare: Prepare) -> Registration:
    """The registration with another ``prepare`` whose parameters its native kernel takes."""
    native = NativeKernel(found.invoke, found.kernel_for, prepare, found.init)
    return replace(found, prepare=prepare, native=native)


class _Scales(NamedTuple):
    """The way scales were read: in single precision, and the first channel's alone."""

    is_single: bool
    is_first: bool

    def of(self, tensor: TfLiteTensor) -> TfLiteTensor:
        """The tensor with such scales."""
        scale = _Single(tensor.scale) if self.is_single else tensor.scale
        count = min(tensor.scale_count, 1) if self.is_first else tensor.scale_count
        return replace(tensor, scale=scale, scale_count=count)


def _prepare(
    today: Prepare, options: Change | None, memory: Change | None, scales: _Scales
) -> Prepare:
    """Today's ``prepare`` with the options, the memory and the precision that counted then."""
    fixed, types = _options("" if options is None else options.before)
    kinds = {} if memory is None else _kinds(memory.before)

    def prepare(context: Context, node: Node) -> Any:
        meant = node.options
        if fixed and (not types or str(context.view_tensor(node.outputs[0]).type) in types):
            node.options = replace(meant, **_fixed(fixed, meant))
        try:
            made = today(_Then(context, kinds, scales).seen(), node)
        finally:
            node.options = meant
        _reserve(context, node, kinds)
        return made

    return prepare


def _warning(today: Prepare, row: Change, revision: Revision) -> Prepare:
    """Today's ``prepare``, which says that it is not that of then."""
    kinds = _Kinds.of(row) if row.before else None

    def prepare(context: Context, node: Node) -> Any:
        if kinds is None or kinds.meets(view_of(context, node)):
            context.warn_undefined(
                f"{row.note} on {row.since} ({row.commit}); this is {revision.title}, and what is "
                "said here is of the later one"
            )
        return today(context, node)

    return prepare


def _reserve(context: Context, node: Node, kinds: dict[str, str]) -> None:
    """Persistent memory that is not asked for today."""
    for purpose, kind in kinds.items():
        match = re.fullmatch(r"(\d+) per input of (\w+)", kind)
        if match and str(context.view_tensor(node.inputs[0]).type) == match[2]:
            context.reserve_persistent_buffer(int(match[1]) * len(node.inputs), purpose)


@lru_cache(maxsize=64)
def _options(text: str) -> tuple[dict[str, tuple[int, ...]], tuple[str, ...]]:
    """``"a=0 b=1/4 int8"`` as values of fields, and the types of outputs; of all without one.

    The first value is what a field was taken for, the others those that had an effect.
    """
    words = [word.partition("=") for word in text.split()]
    values = {name: tuple(map(int, value.split("/"))) for name, equals, value in words if equals}
    return values, tuple(name for name, equals, _ in words if not equals)


def _fixed(values: dict[str, tuple[int, ...]], options: Any) -> dict[str, int]:
    """Values that fields of an operator's options were taken for."""
    return {
        name: then
        for name, (then, *others) in values.items()
        if getattr(options, name) not in others
    }


@lru_cache(maxsize=64)
def _kinds(text: str) -> dict[str, str]:
    """``"sums: none, row: persistent"`` as a dictionary."""
    pairs = (part.split(":") for part in text.split(","))
    return {purpose.strip(): kind.strip() for purpose, kind in pairs}


class _Single(float):
    """A scale whose products and quotients are rounded to single precision, as C's floats are."""

    def __mul__(self, other: float) -> _Single:
        return _Single(np.float32(self) * np.float32(other))

    def __truediv__(self, other: float) -> _Single:
        return _Single(np.float32(self) / np.float32(other))

    __rmul__ = __mul__


class _Then(Unaccounted):
    """A context that takes other scratch memory than is asked for, and may have other scales."""

    def __init__(self, host: Context, kinds: dict[str, str], scales: _Scales) -> None:
        super().__init__(host)
        self._kinds, self._scales = kinds, scales

    def get_tensor(self, index: int) -> TfLiteTensor:
        """The host's, which takes temporary memory."""
        return self._seen(self._host.get_tensor(index))

    def view_tensor(self, index: int) -> TfLiteTensor:
        """The host's, which takes none."""
        return self._seen(self._host.view_tensor(index))

    def _seen(self, tensor: TfLiteTensor) -> TfLiteTensor:
        return self._scales.of(tensor) if any(self._scales) else tensor

    def allocate_persistent_buffer(self, size: int, purpose: str = "") -> Bytes:
        """The host's."""
        return self._host.allocate_persistent_buffer(size, purpose)

    def reserve_persistent_buffer(self, size: int, purpose: str = "") -> None:
        """The host's."""
        self._host.reserve_persistent_buffer(size, purpose)

    def request_scratch_buffer_in_arena(self, size: int, purpose: str = "") -> int:
        """A buffer where there was one then; else no handle, as kernels work without."""
        kind = self._kinds.get(purpose)
        if kind is None:
            return self._host.request_scratch_buffer_in_arena(size, purpose)
        if kind == "persistent":
            self._host.reserve_persistent_buffer(size, purpose)
        return -1


class _Shape(NamedTuple):
    """A word of a row that is no type: whether a node is so, what it is else, and what came."""

    meets: Callable[[NodeView, TfLiteTensor], bool]
    then: str
    came: str


def _is_adjoint(node: NodeView, lhs: TfLiteTensor) -> bool:
    """Several matrices that are transposed, times a single one."""
    one = node.input(1).shape[-3:-2] == (1,)
    return bool(node.options.adj_x) and one and lhs.shape[-3:-2] > (1,)


def _axes(node: NodeView, axes: TfLiteTensor) -> int:
    """The number of different axes, as far as that is known."""
    if not node.input(0).size:  # then none is looked at
        return 0
    rank = max(len(node.input(0).shape), 1)
    return axes.size if axes.data is None else len(np.unique(axes.data % rank))


def _is_shifted(_: NodeView, weights: TfLiteTensor) -> bool:
    """Weights that have a zero point."""
    points = () if weights.quantization is None else weights.quantization.zero_point
    return any(int(point) for point in points)


def _is_towering(node: NodeView, _: TfLiteTensor) -> bool:
    """Broadcasts of more than four dimensions."""
    shapes = {one.shape for one in node.inputs if one is not None}
    return len(shapes) > 1 and any(len(shape) > 4 for shape in shapes)


def _has_no_bias(node: NodeView, _: TfLiteTensor) -> bool:
    """TRANSPOSE_CONV's fourth input."""
    return len(node.inputs) < 4 or node.inputs[3] is None


def _is_stacked(node: NodeView, _: TfLiteTensor) -> bool:
    """An output of other than two dimensions, which has several rows."""
    shape = node.output(0).shape
    return len(shape) != 2 and node.output(0).size > shape[-1]


def _is_linear(node: NodeView, _: TfLiteTensor) -> bool:
    """Tensors of other than two to four dimensions, and of several values."""
    tensors = [one for one in (*node.inputs, *node.outputs) if one is not None]
    return any(len(one.shape) not in (2, 3, 4) and one.size > 1 for one in tensors)


#: These words.
_SHAPES = {
    "flat": _Shape(
        lambda _, tensor: len(tensor.shape) < 4,
        *("four dimensions", "fewer (RESHAPE around it)"),
    ),
    "linear": _Shape(
        _is_linear, *("two to four dimensions", "other numbers of them (RESHAPE around it)")
    ),
    "shifted": _Shape(_is_shifted, *("no zero point", "one")),
    "towering": _Shape(_is_towering, *("up to four dimensions to broadcast", "more")),
    "unbiased": _Shape(_has_no_bias, *("a bias beside it", "none")),
    "stacked": _Shape(_is_stacked, *("an output of two dimensions", "more of them")),
    "deep": _Shape(
        lambda node, weights: weights.scale_count > 1 and _is_stacked(node, weights),
        *("one scale, or an output of two dimensions", "others"),
    ),
    "negative": _Shape(lambda node, _: node.options.alpha < 0, *("a factor from 0", "those below")),
    "oblong": _Shape(
        lambda _, lhs: lhs.shape[-2:-1] != lhs.shape[-1:],
        *("as many rows as columns", "others"),
    ),
    "grouped": _Shape(
        lambda node, tensor: tensor.shape[-1] != node.input(0).shape[-1],
        *("all input channels", "groups"),
    ),
    "batched": _Shape(lambda _, tensor: tensor.shape[0] > 1, "one image", "batches"),
    "adjoint": _Shape(
        _is_adjoint,
        *("a single matrix where it is transposed and input 1 has one", "several of these"),
    ),
    "scaled": _Shape(
        lambda node, _: node.input(1).scale_count > 1,
        *("int8 where weights have a scale per channel", "others"),
    ),
    "triple": _Shape(lambda node, axes: _axes(node, axes) > 2, "up to two axes", "more axes"),
}


class _Kinds(NamedTuple):
    """The subject of a row: ``input 0 int8 int16``; without a type, a scale per channel.

    A word of :data:`_SHAPES` before the types says more: ``input 1 grouped int8`` is about weights
    that see some of the channels.
    """

    side: str
    number: int
    types: tuple[str, ...]
    shape: str = ""

    @classmethod
    def of(cls, row: Change) -> _Kinds:
        """Of a row's ``before``."""
        side, number, *words = row.before.split()
        types = tuple(word for word in words if word not in _SHAPES)
        return cls(side, int(number), types, next((w for w in words if w in _SHAPES), ""))

    def meets(self, node: NodeView) -> bool:
        """Whether a node is of that kind."""
        tensors = node.inputs if self.side == "input" else node.outputs
        tensor = tensors[self.number] if self.number < len(tensors) else None
        if tensor is None or (self.types and str(tensor.type) not in self.types):
            return False
        if self.shape:
            return _SHAPES[self.shape].meets(node, tensor)
        return bool(self.types) or tensor.scale_count > 1

    def came(self, title: str) -> str:
        """The expected and the given."""
        place = f"{self.side.capitalize()} {self.number} has"
        if self.shape:
            _, then, news = _SHAPES[self.shape]
            return f"{place} {then}, as {title} demands; {news} came"
        if self.types:
            return f"{place} a type that {title} takes; {' and '.join(self.types)} came"
        return f"{place} a single scale, which is all that {title} takes; a scale per channel came"


def _refuses(row: Change, revision: Revision) -> Constraint:
    """A constraint: an input or output is not of the kind that was refused then."""
    kinds = _Kinds.of(row)

    def has_come(node: NodeView) -> bool:
        return not kinds.meets(node)

    has_come.__doc__ = f"{kinds.came(revision.title)} on {row.since} ({row.commit})."
    return has_come

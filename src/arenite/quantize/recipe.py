"""Everything that a quantised model follows from; passes make one recipe of another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from arenite.model import Model, TensorType
from arenite.quantize.plan import Plan, Precision, Range, plan_of
from arenite.quantize.ranges import ranges_of
from arenite.quantize.reach import Span
from arenite.quantize.seen import Seen
from arenite.quantize.writing import Changes, Written, written


@dataclass(frozen=True, eq=False)
class Recipe:
    """A float model and all decisions about it.

    Attributes:
        model: The float model, rewritten: it computes what the user's does.
        seen: What was seen of its tensors.
        method: How ranges are made of that.
        wanted: Precision of every operator, by position.
        kept: Operators that stay float, and why.
        ports: Types of inputs and outputs.
        changes: What was decided of constants.
        prescribed: Ranges of inputs that are known and not learnt, by the input's place.
        limits: Values beyond which nothing changes, by tensor.
    """

    model: Model
    seen: Mapping[int, Seen]
    method: str
    wanted: Mapping[int, Precision]
    kept: Mapping[int, str]
    ports: tuple[TensorType, TensorType]
    changes: Changes = field(default_factory=Changes)
    prescribed: Mapping[int, Range] = field(default_factory=dict)
    limits: Mapping[int, Span] = field(default_factory=dict)

    @cached_property
    def ranges(self) -> Mapping[int, Range]:
        """The real values that integers stand for."""
        known = {self.model.main.inputs[place]: one for place, one in self.prescribed.items()}
        found = ranges_of(self.seen, self.method)
        cut = {i: Span(*found[i]).cut(one) for i, one in self.limits.items() if i in found}
        return {**found, **cut, **known}

    @cached_property
    def plan(self) -> Plan:
        """Plan of operators and tensors."""
        ends = {index: (one.low, one.high) for index, one in self.seen.items()}
        return plan_of(self.model, self.ranges, self.wanted, self.kept, ends)

    @cached_property
    def written(self) -> Written:
        """The quantised model."""
        return written(self.model, self.plan, self.ports, self.changes)

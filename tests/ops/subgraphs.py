"""Random subgraphs that call each other and share variables."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from arenite.model import Model, ModelBuilder, Subgraph
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.tflite.assign_variable import AssignVariableOptions
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.if_ import IfOptions
from arenite.ops.tflite.read_variable import ReadVariableOptions
from arenite.ops.tflite.var_handle import VarHandleOptions
from arenite.ops.tflite.while_ import WhileOptions

Kind = tuple[str, tuple[int, ...]]
"""A value's type and shape."""

#: What may be computed from values of a type, with how many operands.
_ELEMENTWISE = {
    "float32": [("RELU", 1), ("LOGISTIC", 1), ("MAXIMUM", 2), ("ADD", 2)],
    "int8": [("MAXIMUM", 2), ("RELU", 1), ("MINIMUM", 2)],
    "int32": [("MAXIMUM", 2), ("ADD", 2)],
    "int16": [],
    "bool": [],
}
_QUANTIZED: dict[str, dict[str, Any]] = {"int8": {"scale": 0.5, "zero_point": -3}}


@dataclass
class Program:
    """Subgraphs as they are drawn: number 0 is the main one and comes last."""

    subgraphs: list[Subgraph] = field(default_factory=list)
    variables: dict[str, Kind] = field(default_factory=dict)
    #: Variables that some operator writes: the others have no memory.
    assigned: set[str] = field(default_factory=set)

    def add(self, subgraph: Subgraph) -> int:
        self.subgraphs.append(subgraph)
        return len(self.subgraphs)


kinds = st.tuples(
    st.sampled_from(list(_ELEMENTWISE)),
    st.sampled_from([(), (1,), (3,), (1, 5), (2, 3, 4), (17,), (1, 1, 40)]),
)


def tensor(b: ModelBuilder, name: str, kind: Kind) -> int:
    return b.tensor(name, kind[1], kind[0], **_QUANTIZED.get(kind[0], {}))


def fed(b: ModelBuilder, name: str, kind: Kind) -> int:
    return b.input(name, kind[1], kind[0], **_QUANTIZED.get(kind[0], {}))


def constant(draw: st.DrawFn, b: ModelBuilder, kind: Kind) -> int:
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    value = rng.integers(0, 2 if kind[0] == "bool" else 100, kind[1]).astype(kind[0])
    return b.constant("c", value, **_QUANTIZED.get(kind[0], {}))


class Drawn:
    """One subgraph as it is drawn: what values there are, and ways to get more."""

    def __init__(self, draw: st.DrawFn, program: Program, name: str) -> None:
        self.draw, self.program = draw, program
        self.b = ModelBuilder(name)
        self.values: list[tuple[int, Kind]] = []
        #: Variables by their number, which a caller gave.
        self.given: list[tuple[int, str]] = []

    def take(self, kind: Kind) -> int:
        """A value that is fed."""
        index = fed(self.b, f"in{len(self.values)}", kind)
        self.values.append((index, kind))
        return index

    def of(self, kind: Kind) -> int:
        """Some value of that kind, a constant if there is none."""
        there = [index for index, other in self.values if other == kind]
        if there and self.draw(st.booleans()):
            return self.draw(st.sampled_from(there))
        return there[-1] if there else constant(self.draw, self.b, kind)

    def give(self, kind: Kind) -> int:
        index = tensor(self.b, f"t{len(self.values)}", kind)
        self.values.append((index, kind))
        return index

    def compute(self) -> None:
        """One elementwise operator on some value."""
        choices = [kind for _, kind in self.values if _ELEMENTWISE[kind[0]]]
        if not choices:
            return
        kind = self.draw(st.sampled_from(choices))
        name, count = self.draw(st.sampled_from(_ELEMENTWISE[kind[0]]))
        operands = [self.of(kind) for _ in range(count)]
        options = AddOptions() if name == "ADD" else None
        self.b.operator(name, operands, [self.give(kind)], options)

    def handle(self, name: str) -> int:
        index = self.b.tensor(f"handle {name}", (), "resource")
        self.b.operator("VAR_HANDLE", [], [index], VarHandleOptions("", name))
        return index

    def take_handle(self, name: str) -> None:
        """A variable of a caller."""
        self.given.append((self.b.input(f"given {name}", (), "resource"), name))

    def variable(self) -> None:
        """Read or assign a variable: one by its name, or one of the caller's."""
        if self.given and self.draw(st.booleans()):
            handle, name = self.draw(st.sampled_from(self.given))
        else:
            name = self.draw(st.sampled_from("uvw"))
            handle = self.handle(name)
            if name not in self.program.assigned or self.draw(st.booleans()):
                kind = self.program.variables.setdefault(name, self.draw(kinds))
                self.assign(handle, kind)
                self.program.assigned.add(name)
        kind = self.program.variables[name]
        if self.draw(st.booleans()):
            self.b.operator("READ_VARIABLE", [handle], [self.give(kind)], ReadVariableOptions())
        if self.draw(st.booleans()):
            self.assign(handle, kind)

    def assign(self, handle: int, kind: Kind) -> None:
        self.b.operator("ASSIGN_VARIABLE", [handle, self.of(kind)], [], AssignVariableOptions())

    def lend(self) -> list[str]:
        """Variables for a subgraph to be called with."""
        names = sorted(self.program.assigned)
        return self.draw(st.lists(st.sampled_from(names), max_size=1)) if names else []

    def branch(self, depth: int) -> None:
        """IF with drawn branches."""
        flag = self.of(("bool", (1,)))
        given = self.draw(st.lists(kinds, max_size=2))
        taken = self.draw(st.lists(kinds, max_size=2))
        lent = self.lend()
        inputs = [*map(self.of, given), *map(self.handle, lent)]
        numbers = [
            self.program.add(subgraph(self.draw, self.program, given, taken, depth, lent=lent))
            for _ in range(2)
        ]
        outputs = [self.give(kind) for kind in taken]
        self.b.operator("IF", [flag, *inputs], outputs, IfOptions(*numbers))

    def loop(self, depth: int) -> None:
        """WHILE that counts an int32 down to 0, beside other values."""
        counter: Kind = ("int32", (1,))
        others = self.draw(st.lists(kinds, max_size=2))
        rounds = self.b.constant("rounds", np.array([self.draw(st.integers(0, 4))], np.int32))
        body = Drawn(self.draw, self.program, "body")
        count = body.take(counter)
        for kind in others:
            body.take(kind)
        lent = self.lend()
        for name in lent:
            body.take_handle(name)
        for _ in range(self.draw(st.integers(0, 2))):
            body.step(depth - 1)
        left = tensor(body.b, "left", counter)
        minus = body.b.constant("minus", np.array([-1], np.int32))
        body.b.operator("ADD", [count, minus], [left], AddOptions())
        body.b.output(left)
        for kind in others:
            body.b.output(body.of(kind))
        for index, _ in body.given:
            body.b.output(index)
        condition = Drawn(self.draw, self.program, "condition")
        condition.b.output(condition.take(counter))
        for kind in others:
            condition.take(kind)
        for name in lent:
            condition.take_handle(name)
        numbers = [self.program.add(one.b.subgraph()) for one in (condition, body)]
        inputs = [rounds, *map(self.of, others), *map(self.handle, lent)]
        outputs = [self.give(kind) for kind in (counter, *others)]
        outputs += [self.b.tensor(f"same {name}", (), "resource") for name in lent]
        self.b.operator("WHILE", inputs, outputs, WhileOptions(*numbers))

    def once(self, depth: int) -> None:
        """CALL_ONCE of a subgraph that assigns variables."""
        number = self.program.add(subgraph(self.draw, self.program, [], [], depth, "variable"))
        self.b.operator("CALL_ONCE", [], [], CallOnceOptions(number))

    def step(self, depth: int, *kinds_of_steps: str) -> None:
        """Some operator."""
        names = kinds_of_steps or ("compute", "variable", "branch", "loop", "once")
        name = self.draw(st.sampled_from(names))
        if name in ("branch", "loop", "once"):
            if depth > 0:
                getattr(self, name)(depth - 1)
        else:
            getattr(self, name)()


def subgraph(
    draw: st.DrawFn,
    program: Program,
    given: list[Kind],
    taken: list[Kind],
    depth: int,
    *steps: str,
    lent: Sequence[str] = (),
) -> Subgraph:
    """A subgraph with these inputs and outputs."""
    drawn = Drawn(draw, program, f"subgraph {len(program.subgraphs)}")
    for kind in given:
        drawn.take(kind)
    for name in lent:
        drawn.take_handle(name)
    for _ in range(draw(st.integers(0, 3))):
        drawn.step(depth, *steps)
    for kind in taken:
        drawn.b.output(drawn.of(kind))
    return drawn.b.subgraph()


@st.composite
def models(draw: st.DrawFn, first: str, depth: int = 2) -> Model:
    """A model whose main subgraph has an operator of the family ``first``, among others."""
    program = Program()
    main = Drawn(draw, program, "main")
    main.take(("bool", (1,)))
    for kind in draw(st.lists(kinds, min_size=1, max_size=2)):
        main.take(kind)
    for number in range(draw(st.integers(1, 4))):
        main.step(depth, *([first] if number == 0 else []))
    written = main.values[len(main.b.subgraph().inputs) :]
    if not written:
        main.compute()
        written = main.values[-1:]
    for index, _ in written[-2:]:
        main.b.output(index)
    return main.b.build(subgraphs=program.subgraphs)

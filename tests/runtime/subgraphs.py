"""Small models with subgraphs and variables."""

import numpy as np

from arenite.model import Model, ModelBuilder, Subgraph
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.tflite.assign_variable import AssignVariableOptions
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.if_ import IfOptions
from arenite.ops.tflite.read_variable import ReadVariableOptions
from arenite.ops.tflite.var_handle import VarHandleOptions
from arenite.ops.tflite.while_ import WhileOptions

ONE = np.array([1], np.int32)


def handle(b: ModelBuilder, name: str = "v") -> int:
    """A variable by its name."""
    index = b.tensor(f"handle of {name}", (), "resource")
    b.operator("VAR_HANDLE", [], [index], VarHandleOptions("", name))
    return index


def read(b: ModelBuilder, variable: int, shape: tuple[int, ...] = (1,)) -> int:
    """An int32 variable's value."""
    value = b.tensor("value", shape, "int32")
    b.operator("READ_VARIABLE", [variable], [value], ReadVariableOptions())
    return value


def assign(b: ModelBuilder, variable: int, value: int) -> None:
    """A variable gets a value."""
    b.operator("ASSIGN_VARIABLE", [variable, value], [], AssignVariableOptions())


def add(b: ModelBuilder, x: int, y: int) -> int:
    """The sum of two int32 tensors."""
    total = b.tensor("sum", (1,), "int32")
    b.operator("ADD", [x, y], [total], AddOptions())
    return total


def counter(first: int = 10) -> Model:
    """The sum of all inputs since the beginning, and ``first``, which CALL_ONCE puts there."""
    once = ModelBuilder("once")
    assign(once, handle(once), once.constant("first", np.array([first], np.int32)))
    b = ModelBuilder()
    x = b.input("x", (1,), "int32")
    b.operator("CALL_ONCE", [], [], CallOnceOptions(1))
    variable = handle(b)
    total = add(b, read(b, variable), x)
    assign(b, variable, total)
    b.output(total)
    return b.build(subgraphs=[once.subgraph()])


def adding(name: str, step: int, *, custom: str = "") -> Subgraph:
    """``y = x + step`` in int32; with a custom operator that copies, behind it."""
    b = ModelBuilder(name)
    y = add(b, b.input("x", (1,), "int32"), b.constant("step", np.array([step], np.int32)))
    if custom:
        copy = b.tensor("copy", (1,), "int32")
        b.operator(custom, [y], [copy], custom_options=b"")
        y = copy
    b.output(y)
    return b.subgraph()


def branches(then: Subgraph | None = None, otherwise: Subgraph | None = None) -> Model:
    """IF: adds 1 or 100."""
    b = ModelBuilder()
    flag, x = b.input("flag", (1,), "bool"), b.input("x", (1,), "int32")
    y = b.tensor("y", (1,), "int32")
    b.operator("IF", [flag, x], [y], IfOptions(1, 2))
    b.output(y)
    return b.build(subgraphs=[then or adding("then", 1), otherwise or adding("else", 100)])


def same() -> Subgraph:
    """The condition of a loop: as long as the first byte of the value is not 0."""
    b = ModelBuilder("condition")
    b.output(b.input("x", (1,), "int32"))
    return b.subgraph()


def loop(body: Subgraph | None = None, condition: Subgraph | None = None) -> Model:
    """WHILE: counts down to 0, or up for ever if ``body`` says so."""
    b = ModelBuilder()
    x, y = b.input("x", (1,), "int32"), b.tensor("y", (1,), "int32")
    b.operator("WHILE", [x], [y], WhileOptions(1, 2))
    b.output(y)
    return b.build(subgraphs=[condition or same(), body or adding("body", -1)])


def endless() -> Model:
    """A WHILE without end."""
    b = ModelBuilder("condition")
    b.input("x", (1,), "int32")
    b.output(b.constant("yes", np.array([True])))
    return loop(adding("body", 1), b.subgraph())

"""Random networks that remember rows in variables, next to the reference over many inferences.

Windows over kept and new rows in any order, assignments early, late and before the reads, slices
that leave rows or channels out, variables that are read twice, that change places, that take
computed values as they are. ``python -m tests.firmware streams --count 200 --seed 7`` goes on from
seed 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from arenite.errors import AreniteError
from arenite.firmware.board import Board
from arenite.firmware.export import layered
from arenite.firmware.plan.layout import Inputs
from arenite.firmware.plan.program import Program, program_from
from arenite.formats import tflite
from arenite.model import Model, ModelBuilder, OptionsTable
from arenite.ops.shared.add_sub import AddOptions
from arenite.ops.shared.maximum_minimum import MaximumMinimumOptions
from arenite.ops.shared.pooling import Pool2DOptions
from arenite.ops.tflite.assign_variable import AssignVariableOptions
from arenite.ops.tflite.call_once import CallOnceOptions
from arenite.ops.tflite.concatenation import ConcatenationOptions
from arenite.ops.tflite.depthwise_conv_2d import DepthwiseConv2DOptions
from arenite.ops.tflite.pad import PadOptions
from arenite.ops.tflite.read_variable import ReadVariableOptions
from arenite.ops.tflite.reshape import ReshapeOptions
from arenite.ops.tflite.split import SplitOptions
from arenite.ops.tflite.split_v import SplitVOptions
from arenite.ops.tflite.strided_slice import StridedSliceOptions
from arenite.ops.tflite.var_handle import VarHandleOptions
from tests.firmware.built import exported_or_plain
from tests.firmware.bulk import Case, Tally
from tests.ops.differential import assert_same, run_arenite
from tests.steps import RESET, Step

#: Inferences of a network, with a reset in the middle.
INFERENCES = 100
VALID, RELU = 1, 1
#: What becomes of inputs, in turn.
_INPUTS: tuple[Inputs, ...] = ("overwritten", "apart", "kept")


@dataclass(frozen=True)
class Rows:
    """A tensor of ``[1, rows, 1, channels]``."""

    index: int
    rows: int
    channels: int

    @property
    def shape(self) -> tuple[int, ...]:
        return (1, self.rows, 1, self.channels)


@dataclass
class Variable:
    """A variable of so many rows, by its handle here."""

    handle: int
    rows: int
    channels: int
    is_assigned: bool = False


class Streams:
    """Operators of one network, in the order in which they are added."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.seed = seed
        self.main, self.once = ModelBuilder("main"), ModelBuilder("once")
        self.kind = str(self.rng.choice(["int8", "int8", "int8", "int16", "float32"]))
        self.how: dict[str, float | int] = {
            "int8": {"scale": 0.1, "zero_point": -5},
            "int16": {"scale": 0.1, "zero_point": 0},
            "float32": {},
        }[self.kind]
        self.fills = self.chance(0.4)
        self.channels = int(self.rng.choice([1, 2, 3, 4, 6, 8, 16]))
        self.variables: list[Variable] = []
        self.late: list[tuple[Variable, Rows]] = []
        self.rows: list[Rows] = []

    # -- parts

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def number(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def pick(self, channels: int | None = None) -> Rows:
        found = [one for one in self.rows if channels in (None, one.channels)]
        return found[int(self.rng.integers(len(found)))]

    def tensor(self, rows: int, channels: int) -> Rows:
        return Rows(
            self.main.tensor("t", (1, rows, 1, channels), self.kind, **self.how), rows, channels
        )

    def add(
        self, name: str, inputs: Sequence[int], y: Rows, options: OptionsTable | None = None
    ) -> Rows:
        self.main.operator(name, list(inputs), [y.index], options)
        self.rows.append(y)
        return y

    def numbers(self, *values: int) -> int:
        return self.main.constant("n", np.array(values, np.int32))

    def constant(self, rows: int, channels: int) -> int:
        data = self.rng.integers(-100, 100, (1, rows, 1, channels))
        return self.main.constant("c", data.astype(self.kind), **self.how)

    # -- variables

    def variable(self, rows: int, channels: int, *, filled: bool) -> Variable:
        """A new one, which a subgraph fills once or which begins with zeros."""
        name = f"n{self.seed}v{len(self.variables)}"
        handles, filled = list[int](), filled and self.fills
        for b in (self.main, self.once) if filled else (self.main,):
            handles.append(b.tensor(f"{name} handle", (), "resource"))
            b.operator("VAR_HANDLE", [], handles[-1:], VarHandleOptions("", name))
        if filled:
            data = self.rng.integers(-100, 100, (1, rows, 1, channels)).astype(self.kind)
            first = self.once.constant(f"{name} first", data)
            self.once.operator("ASSIGN_VARIABLE", [handles[1], first], [], AssignVariableOptions())
        one = Variable(handles[0], rows, channels)
        self.variables.append(one)
        return one

    def read(self, variable: Variable) -> Rows:
        y = self.tensor(variable.rows, variable.channels)
        return self.add("READ_VARIABLE", [variable.handle], y, ReadVariableOptions())

    def assign(self, variable: Variable, x: Rows) -> None:
        variable.is_assigned = True
        inputs = [variable.handle, x.index]
        self.main.operator("ASSIGN_VARIABLE", inputs, [], AssignVariableOptions())

    # -- layers

    def joined(self, parts: Sequence[Rows | int], rows: int, channels: int, axis: int = 1) -> Rows:
        indices = [one if isinstance(one, int) else one.index for one in parts]
        y = self.tensor(rows, channels)
        return self.add("CONCATENATION", indices, y, ConcatenationOptions(axis=axis))

    def cut(self, x: Rows, first: int, rows: int, step: int = 1, channels: int = 0) -> Rows:
        """Every so many rows; the last channels where there is a number of them."""
        low = x.channels - channels if channels else 0
        begin = self.numbers(0, first, 0, low)
        end = self.numbers(1, first + (rows - 1) * step + 1, 1, x.channels)
        y = self.tensor(rows, x.channels - low)
        inputs = [x.index, begin, end, self.numbers(1, step, 1, 1)]
        return self.add("STRIDED_SLICE", inputs, y, StridedSliceOptions(0, 0))

    def window(self) -> None:
        """Kept rows and new ones; some of them are kept in their turn, now or later."""
        x = self.pick()
        variable = self.variable(self.number(1, 5), x.channels, filled=self.chance(0.3))
        early = self.chance(0.15)
        if early:  # assigned before it is read
            self.assign(variable, self.fitting(variable))
        parts: list[Rows | int] = [self.read(variable), x]
        rows = variable.rows + x.rows
        if self.chance(0.2):
            parts.append(self.constant(1, x.channels))
            rows += 1
        if self.chance(0.15):
            parts.append(x)
            rows += x.rows
        if self.chance(0.3):
            parts = [parts[int(n)] for n in self.rng.permutation(len(parts))]
        whole = self.joined(parts, rows, x.channels)
        if early:
            return
        last = self.last(whole, variable.rows)
        if self.chance(0.4):
            self.late.append((variable, last))
        else:
            self.assign(variable, last)
        if self.chance(0.1) and variable.is_assigned:
            self.read(variable)

    def last(self, whole: Rows, rows: int) -> Rows:
        """So many rows of a tensor: mostly the last ones, in one piece."""
        how, more = self.rng.random(), whole.rows - rows
        if how < 0.6 or not more:
            return self.cut(whole, more, rows)
        if how < 0.8:
            return self.cut(whole, self.number(0, more), rows)
        if whole.rows >= 2 * rows - 1 and how < 0.9:
            return self.cut(whole, 0, rows, step=2 if rows > 1 else 1)
        parts = [self.tensor(more, whole.channels), self.tensor(rows, whole.channels)]
        inputs = [whole.index, self.numbers(more, rows), self.numbers(1)]
        outputs = [one.index for one in parts]
        self.main.operator("SPLIT_V", inputs, outputs, SplitVOptions(2))
        self.rows += parts
        return parts[1]

    def fitting(self, variable: Variable) -> Rows:
        """A tensor of a variable's shape."""
        found = [x for x in self.rows if x.shape == (1, variable.rows, 1, variable.channels)]
        if found and self.chance(0.7):
            return found[int(self.rng.integers(len(found)))]
        x = self.pick(variable.channels)
        if x.rows == 1:
            return self.joined([x] * variable.rows, variable.rows, x.channels)
        return self.resized(x, variable.rows)

    def resized(self, x: Rows, rows: int) -> Rows:
        if x.rows >= rows:
            return self.cut(x, self.number(0, x.rows - rows), rows)
        paddings = np.array([[0, 0], [rows - x.rows, 0], [0, 0], [0, 0]], np.int32)
        inputs = [x.index, self.main.constant("p", paddings)]
        return self.add("PAD", inputs, self.tensor(rows, x.channels), PadOptions())

    def swap(self) -> None:
        """Two variables take each other's rows."""
        x = self.pick()
        both = [self.variable(x.rows, x.channels, filled=self.chance(0.5)) for _ in range(2)]
        first, second = (self.read(one) for one in both)
        if self.chance(0.5):
            self.assign(both[0], second)
            self.assign(both[1], first)
        else:  # one takes what is new, the other what that was
            self.assign(both[1], first)
            self.assign(both[0], x)
        if self.chance(0.5):
            self.joined([first, second], 2 * x.rows, x.channels)

    def remembered(self) -> None:
        """A value that is computed of what it was."""
        x = self.pick()
        variable = self.variable(x.rows, x.channels, filled=self.chance(0.3))
        before = self.read(variable)
        self.assign(variable, self.maximum(before, x) if self.chance(0.6) else x)

    def maximum(self, a: Rows, b: Rows) -> Rows:
        y = self.tensor(a.rows, a.channels)
        if self.kind == "int16" or self.chance(0.5):
            return self.add("ADD", [a.index, b.index], y, AddOptions(0))
        return self.add("MAXIMUM", [a.index, b.index], y, MaximumMinimumOptions())

    def elementwise(self) -> None:
        a = self.pick()
        same = [b for b in self.rows if b.shape == a.shape]
        self.maximum(a, same[int(self.rng.integers(len(same)))])

    def pooled(self) -> None:
        x = self.pick()
        if self.kind == "int8" and self.chance(0.6):
            self.filtered(x)
            return
        options = Pool2DOptions(VALID, 1, 1, 1, x.rows)
        self.add("MAX_POOL_2D", [x.index], self.tensor(1, x.channels), options)

    def filtered(self, x: Rows) -> None:
        """A filter for each channel over all rows."""
        scales = self.rng.uniform(0.002, 0.01, x.channels).astype(np.float32)
        zeros = [0] * x.channels
        weights = self.main.constant(
            "w",
            self.rng.integers(-127, 128, x.shape, np.int8),
            scale=scales,
            zero_point=zeros,
            quantized_dimension=3,
        )
        bias = self.main.constant(
            "b",
            self.rng.integers(-200, 200, x.channels, dtype=np.int32),
            scale=scales * np.float32(0.1),
            zero_point=zeros,
        )
        options = DepthwiseConv2DOptions(VALID, 1, 1, 1, RELU)
        inputs = [x.index, weights, bias]
        self.add("DEPTHWISE_CONV_2D", inputs, self.tensor(1, x.channels), options)

    def parted(self) -> None:
        """Halves of the channels, or single rows, with something done to one, joined again."""
        x = self.pick()
        axis, of = (3, x.channels) if self.chance(0.5) else (1, x.rows)
        if of % 2:
            return
        rows, channels = (x.rows, of // 2) if axis == 3 else (of // 2, x.channels)
        parts = [self.tensor(rows, channels) for _ in range(2)]
        self.main.operator(
            "SPLIT", [self.numbers(axis), x.index], [one.index for one in parts], SplitOptions(2)
        )
        self.rows += parts
        if self.chance(0.5):
            parts[0] = self.maximum(*parts)
        self.joined(parts, x.rows, x.channels, axis)

    def reshaped(self) -> None:
        x = self.pick()
        rows, channels = x.channels, x.rows
        inputs = [x.index, self.numbers(1, rows, 1, channels)]
        self.add(
            "RESHAPE", inputs, self.tensor(rows, channels), ReshapeOptions((1, rows, 1, channels))
        )

    def cropped(self) -> None:
        x = self.pick()
        if x.channels > 1:
            self.cut(x, 0, x.rows, channels=self.number(1, x.channels - 1))

    def model(self) -> Model:
        if self.fills:
            self.main.operator("CALL_ONCE", [], [], CallOnceOptions(1))
        for _ in range(self.number(1, 2)):
            rows = self.number(1, 3)
            shape = (1, rows, 1, self.channels)
            index = self.main.input("x", shape, self.kind, **self.how)
            self.rows.append(Rows(index, rows, self.channels))
        inputs = len(self.rows)
        steps = [self.window] * 5 + [self.swap, self.remembered, self.elementwise, self.pooled]
        steps += [self.parted, self.reshaped, self.cropped]
        for number in range(self.number(3, 9)):
            steps[int(self.rng.integers(len(steps))) if number else 0]()
            while self.late and self.chance(0.3):
                self.assign(*self.late.pop(0))
        for one in self.late:
            self.assign(*one)
        computed = self.rows[inputs:]
        for one in {computed[-1], *(computed[self.number(0, len(computed) - 1)] for _ in range(2))}:
            self.main.output(one.index)
        return self.main.build(subgraphs=[self.once.subgraph()] if self.fills else [])


def stream(seed: int) -> Model:
    """The network of a seed, as a file has it."""
    return tflite.read(tflite.write(Streams(seed).model()))


def steps_of(model: Model, seed: int, count: int = INFERENCES) -> list[Step]:
    """Inputs of so many inferences, with a reset in the middle."""
    rng = np.random.default_rng(seed)
    steps: list[Step] = [
        [
            rng.integers(-128, 128, one.shape).astype(one.type.dtype)
            if one.type.dtype != np.float32
            else rng.normal(0, 1, one.shape).astype(np.float32)
            for one in model.inputs
        ]
        for _ in range(count)
    ]
    return [*steps[: count // 2], RESET, *steps[count // 2 :]]


@dataclass(frozen=True)
class Streamed(Case):
    """A network as it is exported, every fourth with its operators in the file's order."""

    def program(self) -> Program:
        made = layered(self.model, "host", optimize=self.number % 4 != 0)
        ask = partial(program_from, made.network, made.works, self.name)
        return exported_or_plain(ask, inputs=_INPUTS[self.number % len(_INPUTS)])


def streamed(count: int, first: int = 0) -> Iterator[Streamed]:
    """The networks of so many seeds that the reference runs."""
    for seed in range(first, first + count):
        try:
            model = stream(seed)
            steps = steps_of(model, seed)
            outputs = run_arenite(model, steps)
        except AreniteError as error:
            print(f"seed {seed}: {error}")
            continue
        yield Streamed("stream", seed, model, steps, outputs)


def on_board(case: Streamed, processor: str) -> Tally:
    """All inferences of a network on an emulated core."""
    ask = partial(Board, case.model, processor, name=case.name)
    inputs = _INPUTS[case.number % len(_INPUTS)]
    board = exported_or_plain(ask, inputs=inputs, optimize=case.number % 4 != 0)
    outputs = iter(enumerate(case.outputs))
    for step in case.steps:
        if isinstance(step, str):
            board.reset()
            continue
        given, (number, wanted) = board(*step), next(outputs)
        for one, other in zip([given] if len(wanted) == 1 else given, wanted, strict=True):
            try:
                assert_same(one, other, case.model, number)
            except AssertionError as error:
                return Tally(different=[f"{case.name}: {str(error)[:1500]}"])
    return Tally(equal=1)

"""All of a firmware before it is text: layers, how each is done, where everything lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arenite.c_text import are_literals, call_of
from arenite.errors import UnsupportedOperatorError
from arenite.firmware.network.kernel import (
    Argument,
    Constant,
    Routine,
    Scratch,
    State,
    UnsupportedError,
    Work,
    routines_of,
)
from arenite.firmware.network.layers import AnyLayer, Network, Value, network_of
from arenite.firmware.network.names import Names, c_name
from arenite.firmware.plan.layout import Inputs, Layout, layout_of
from arenite.firmware.plan.memory_check import replay
from arenite.firmware.streaming.group import Group
from arenite.model import Model
from arenite.ops import builtin

#: How a layer is done, for one kind of processor; raises ``UnsupportedError``.
Kernels = Callable[[AnyLayer], Work]


@dataclass(frozen=True, eq=False)
class Plan:
    """The kernels of all layers: each by itself, or in a group, row by row."""

    works: Sequence[Work]
    groups: Sequence[Group] = ()


#: What to make of the works of all layers before they are placed.
Improve = Callable[[Network, Sequence[Work]], Plan]


@dataclass(frozen=True)
class Kept:
    """Bytes of the arena that one inference leaves to the next.

    Every one is ``fill`` at first, and after a reset where ``is_reset``.
    """

    offset: int
    bytes: int
    fill: int
    is_reset: bool


class Piece(NamedTuple):
    """Bytes of a layer's result, as observers are told of them."""

    layer: AnyLayer
    value: Value
    begin: int
    bytes: int


@dataclass(frozen=True, eq=False)
class Program:
    """A planned firmware, from which a folder's files are written; C names begin with ``name``.

    Attributes:
        name: The program's.
        network: The layers.
        works: How each is done; of a group's layer how most of its rows are.
        layout: Where everything lies.
        groups: Layers that go row by row, in order.
        inputs: What becomes of the model's inputs.
    """

    name: str
    network: Network
    works: tuple[Work, ...]
    layout: Layout
    groups: tuple[Group, ...] = ()
    inputs: Inputs = "overwritten"

    @property
    def row_bytes(self) -> int:
        """Bytes of a row of the input, where rows are delivered; 0 elsewhere."""
        if self.inputs != "rows":
            return 0
        (value,) = self.network.inputs
        return value.nbytes // value.shape[1]

    def group(self, layer: int) -> Group | None:
        """The group of a layer, if any."""
        return next((one for one in self.groups if one.first <= layer < one.end), None)

    @cached_property
    def routines(self) -> Mapping[Routine, str]:
        """Every routine with its name, those that others call first."""
        return routines_of(self._calls(), self._names)

    @cached_property
    def _names(self) -> Names:
        sides = ("input", self.network.inputs), ("output", self.network.outputs)
        return Names(f"{side}{index}" for side, ports in sides for index, _ in enumerate(ports))

    @cached_property
    def group_functions(self) -> Sequence[str]:
        """The C names of the functions of groups."""
        return [f"{self.name}_{self._names.take(f'rows_{one.first}')}" for one in self.groups]

    @cached_property
    def compiled(self) -> tuple[Work, ...]:
        """Works of layers that users' kernels in C++ run."""
        return tuple(work for work in self.works if work.compiled is not None)

    def _calls(self) -> Iterator[Routine]:
        for number, work in enumerate(self.works):
            group = self.group(number)
            if group is not None:
                yield from group.member_of(number).routines
            elif work.routine is not None:
                yield work.routine

    def routine(self, layer: int) -> Routine | None:
        """The routine of a layer, or of most of its rows."""
        group = self.group(layer)
        if group is None:
            return self.works[layer].routine
        return next(iter(group.member_of(layer).routines), None)

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces of tensors that observers are told of, in order."""
        found: list[Piece] = []
        for layer in self.network.layers:
            group = self.group(layer.index)
            if group is None:
                found += [Piece(layer, value, 0, value.nbytes) for value in layer.outputs]
            elif layer.index == group.first:
                found += [Piece(*one) for one in group.told()]
        return tuple(found)

    @cached_property
    def constants(self) -> Mapping[str, Constant]:
        """Constants in flash, by name; equal arrays are there once."""
        return dict(self._named.values())

    @cached_property
    def _named(self) -> dict[tuple[str, bytes], tuple[str, Constant]]:
        named: dict[tuple[str, bytes], tuple[str, Constant]] = {}
        _ = self.routines, self.group_functions  # which have their names first
        for number, work in enumerate(self.works):
            group, roles = self.group(number), dict[str, int]()
            works = [work] if group is None else group.member_of(number).works
            for constant in (constant for one in works for constant in one.constants):
                count = roles[constant.role] = roles.get(constant.role, 0) + 1
                role = constant.role if count == 1 else f"{constant.role}_{count}"
                if _key(constant) not in named:
                    name = f"{self.name}_{self._names.take(f'{role}_{number}')}"
                    named[_key(constant)] = name, constant
        return named

    def constant(self, constant: Constant) -> str:
        """A constant's elements in C; where they have no literals, as a view of their bits."""
        name, known = self._named[_key(constant)]
        return name if are_literals(known.values) else f"{name}.values"

    def function(self, routine: Routine) -> str:
        """A routine's name in C."""
        return f"{self.name}_{self.routines[routine]}"

    @property
    def arena_bytes(self) -> int:
        """Bytes of the arena: tensors and scratch memory, nothing else."""
        return max(self.layout.size, 16)

    @property
    def constant_bytes(self) -> int:
        """Bytes of all constants."""
        return sum(constant.values.nbytes for constant in self.constants.values())

    @cached_property
    def kept(self) -> tuple[Kept, ...]:
        """Memory that outlives an inference, by offset: variables and states of kernels."""
        places = self.layout
        found = [
            Kept(places.tensors[value.index], value.nbytes, value.reset, is_reset=True)
            for value in self.network.variables()
            if value.nbytes
        ]
        found += [
            Kept(offset, state.bytes, state.fill, state.is_reset)
            for state, offset in places.states.items()
        ]
        return tuple(sorted(found, key=lambda one: one.offset))

    @property
    def may_end(self) -> bool:
        """Whether an inference may end behind one of its layers."""
        return any(work.ends is not None or work.compiled is not None for work in self.works)

    def call(self, number: int) -> str:
        """The statement that does a layer, or nothing."""
        work = self.works[number]
        if work.routine is None:
            return ""
        if work.compiled is not None:
            call, name = call_of(self.function(work.routine), ()), self.name.upper()
            return f"status = {call};\nif (status) return status < 0 ? status : {name}_OK;"
        scratch = iter(self.layout.scratch[number])
        arguments = [
            self._expression(argument, declaration, next(scratch, 0))
            if isinstance(argument, Scratch)
            else self._expression(argument, declaration, 0)
            for argument, declaration in zip(work.arguments, work.routine.parameters, strict=True)
        ]
        call = call_of(self.function(work.routine), arguments) + ";"
        if work.ends is None:
            return call
        is_at_end = f"*AT(const int32_t, {self.layout.states[work.ends]}) != 0"
        return f"{call}\nif ({is_at_end}) return {self.name.upper()}_OK;"

    def _expression(self, argument: Argument, declaration: str, scratch: int) -> str:
        """The C expression for an argument of a call, of its parameter's type."""
        if isinstance(argument, Constant):
            return self.constant(argument)
        if isinstance(argument, Value):
            place = self.layout.tensors[argument.index]
        else:
            place = self.layout.states[argument] if isinstance(argument, State) else scratch
        kind = declaration[: declaration.rindex("*")].strip()
        return f"AT({kind}, {place})"


def program_of(
    model: Model,
    kernels: Kernels,
    name: str | None = None,
    planner: str = "optimal",
    *,
    improve: Improve | None = None,
    inputs: Inputs = "overwritten",
) -> Program:
    """A model as a program; ``improve`` sees the works of all layers before they are placed.

    Raises:
        UnsupportedOperatorError: Some layers have no exported kernel; names them all.
        ConstraintError: An operator cannot run what the model asks of it.
        ValueError: The name is no C identifier, or there is no such planner.
    """
    network = network_of(model)
    works = works_of(network, kernels)
    return program_from(
        network, works, c_name(model.source, name), planner, improve=improve, inputs=inputs
    )


def works_of(network: Network, kernels: Kernels) -> tuple[Work, ...]:
    """The kernel of every layer.

    Raises:
        UnsupportedOperatorError: Some layers have no exported kernel; names them all.
    """
    works, refusals = [], []
    for layer in network.layers:
        try:
            works.append(kernels(layer))
        except UnsupportedError as error:
            refusals.append((layer, str(error)))
    if refusals:
        lines = [f"  operator {layer.index}, {layer.name}: {why}" for layer, why in refusals]
        own = [layer.name for layer, _ in refusals if builtin(layer.name) is None]
        if own:
            lines.append(
                f"{', '.join(dict.fromkeys(own))}: an operator of your own has no C here. "
                "`arenite export --library tflm` writes a folder for a firmware with TFLM, whose "
                "resolver calls your C++ kernel"
            )
        raise UnsupportedOperatorError(
            "\n".join(["the model cannot be exported", *lines]),
            list(dict.fromkeys(layer.name for layer, _ in refusals)),
        )
    return tuple(works)


def program_from(
    network: Network,
    works: Sequence[Work],
    name: str,
    planner: str = "optimal",
    *,
    improve: Improve | None = None,
    inputs: Inputs = "overwritten",
) -> Program:
    """Layers that are done so as a program; see :func:`program_of`.

    Raises:
        UnsupportedOperatorError: What goes in or out has no size, or is a constant.
        ValueError: There is no such planner.
    """
    _check_ports(network)
    plan = Plan(works) if improve is None else improve(network, works)
    layout = layout_of(network, plan.works, planner, plan.groups, inputs)
    replay(network, layout, plan.groups, inputs)
    return Program(name, network, layout.works, layout, tuple(plan.groups), inputs)


def _check_ports(network: Network) -> None:
    """Check that inputs and outputs have elements of one size, and that outputs are computed."""
    computed = {value.index for layer in network.layers for value in layer.outputs}
    for value in (*network.inputs, *network.outputs):
        if not value.type.bits:
            raise UnsupportedOperatorError(
                f"{value.name!r}: inputs and outputs of {value.type} have no size", []
            )
        if value.is_constant and value.index not in computed:
            raise UnsupportedOperatorError(f"output {value.name!r} is a constant", [])


def constants_of(works: Sequence[Work]) -> Iterator[int]:
    """Bytes of every constant of layers that go alone; equal ones are there once."""
    found = {_key(one): one.values.nbytes for work in works for one in work.constants}
    yield from found.values()


def _key(constant: Constant) -> tuple[str, bytes]:
    return f"{constant.values.dtype} {constant.alignment}", constant.values.tobytes()

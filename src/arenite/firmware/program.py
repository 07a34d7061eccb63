"""All of a firmware before it is text: layers, how each is done, where everything lies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from arenite.errors import UnsupportedOperatorError
from arenite.firmware.layers import Layer, Network, Value, network_of
from arenite.firmware.layout import Layout, layout_of
from arenite.firmware.text import C_TYPES, c_name, call_of
from arenite.firmware.work import (
    Argument,
    Constant,
    Routine,
    Scratch,
    State,
    UnsupportedError,
    Work,
    routines_of,
)
from arenite.model import Model, TensorType

#: How a layer is done, for one kind of processor; raises ``UnsupportedError``.
Kernels = Callable[[Layer], Work]
#: Other works in the place of some.
Improve = Callable[[Sequence[Layer], Sequence[Work]], list[Work]]

_PORT_TYPES = (
    *(TensorType.INT8, TensorType.INT16, TensorType.INT32, TensorType.INT64),
    *(TensorType.UINT8, TensorType.UINT16, TensorType.UINT32, TensorType.UINT64),
    *(TensorType.BOOL, TensorType.FLOAT32),
)


@dataclass(frozen=True)
class Kept:
    """Bytes of the arena that one inference leaves to the next.

    Every one is ``fill`` at first, and after a reset where ``is_reset``.
    """

    offset: int
    bytes: int
    fill: int
    is_reset: bool


@dataclass(frozen=True, eq=False)
class Program:
    """What the files of a folder are written from; all names in C begin with ``name``."""

    name: str
    network: Network
    works: tuple[Work, ...]
    layout: Layout

    @cached_property
    def routines(self) -> Mapping[Routine, str]:
        """Every routine with its name, those that others call first."""
        return routines_of(iter(self.works))

    @cached_property
    def constants(self) -> Mapping[str, Constant]:
        """What lies in flash, by name; equal arrays are there once."""
        return dict(self._named.values())

    @cached_property
    def _named(self) -> dict[tuple[str, bytes], tuple[str, Constant]]:
        named: dict[tuple[str, bytes], tuple[str, Constant]] = {}
        for layer, work in zip(self.network.layers, self.works, strict=True):
            roles: dict[str, int] = {}
            for constant in work.constants:
                number = roles[constant.role] = roles.get(constant.role, 0) + 1
                role = constant.role if number == 1 else f"{constant.role}_{number}"
                named.setdefault(_key(constant), (f"{self.name}_{role}_{layer.index}", constant))
        return named

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
        """What inferences remember: variables and the states of kernels, by offset."""
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
        return any(work.ends is not None for work in self.works)

    def call(self, number: int) -> str:
        """The statement that does a layer, or nothing."""
        work = self.works[number]
        if work.routine is None:
            return ""
        scratch = iter(self.layout.scratch[number])
        arguments = [
            self._expression(argument, declaration, next(scratch, 0))
            if isinstance(argument, Scratch)
            else self._expression(argument, declaration, 0)
            for argument, declaration in zip(work.arguments, work.routine.parameters, strict=True)
        ]
        call = call_of(f"{self.name}_{self.routines[work.routine]}", arguments) + ";"
        if work.ends is None:
            return call
        return f"{call}\nif (*AT(const int32_t, {self.layout.states[work.ends]}) != 0) return;"

    def _expression(self, argument: Argument, declaration: str, scratch: int) -> str:
        """What stands for an argument in a call, of its parameter's type."""
        if isinstance(argument, Constant):
            return self._named[_key(argument)][0]
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
    improve: Improve | None = None,
) -> Program:
    """A model as a program; ``improve`` sees the works of all layers before they are placed.

    Raises:
        UnsupportedOperatorError: Some layers have no exported kernel; names them all.
        ConstraintError: An operator cannot run what the model asks of it.
        ValueError: The name is no C identifier, or there is no such planner.
    """
    network = network_of(model)
    works, refusals = [], []
    for layer in network.layers:
        try:
            works.append(_with_finite_constants(kernels(layer)))
        except UnsupportedError as error:
            refusals.append((layer, str(error)))
    if refusals:
        lines = [f"  operator {layer.index}, {layer.name}: {why}" for layer, why in refusals]
        raise UnsupportedOperatorError(
            "\n".join(["the model cannot be exported", *lines]),
            list(dict.fromkeys(layer.name for layer, _ in refusals)),
        )
    _check_ports(network)
    if improve is not None:
        works = improve(network.layers, works)
    layout = layout_of(network, works, planner)
    return Program(_name(model, name), network, tuple(works), layout)


def _with_finite_constants(work: Work) -> Work:
    for one in work.constants:
        if one.values.dtype == np.float32 and not np.isfinite(one.values).all():
            raise UnsupportedError(f"a constant ({one.role}) is infinite or NaN")
    return work


def _check_ports(network: Network) -> None:
    """What comes in and goes out has a type of C, and is computed or fed."""
    computed = {value.index for layer in network.layers for value in layer.outputs}
    for value in (*network.inputs, *network.outputs):
        if value.type not in _PORT_TYPES:
            names = ", ".join(map(str, _PORT_TYPES))
            raise UnsupportedOperatorError(
                f"expected inputs and outputs of {names}, got {value.type} ({value.name!r})", []
            )
        if value.is_constant and value.index not in computed:
            raise UnsupportedOperatorError(f"output {value.name!r} is a constant", [])


def _name(model: Model, name: str | None) -> str:
    return c_name(model.source, name)


def c_type(value: Value) -> str:
    """A tensor's element in C."""
    return C_TYPES[value.type.dtype]


def _key(constant: Constant) -> tuple[str, bytes]:
    return str(constant.values.dtype), constant.values.tobytes()

"""IF, WHILE and CALL_ONCE: subgraphs as functions, whose tensors lie in scratch memory.

A subgraph is a routine that is called with a block of the arena, with the constants of its layers
and with the memory that they keep. Its tensors have places in that block, which is the calling
layer's only while it runs, as TFLM nests subgraphs. Values go in and come out by copies. Facts:
TFLM ``micro/kernels/if.cc``, ``while.cc``, ``call_once.cc``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from arenite.c_text import C_TYPES, call_of, indented
from arenite.firmware.network.kernel import (
    Argument,
    Constant,
    Routine,
    Scratch,
    State,
    UnsupportedError,
    Work,
)
from arenite.firmware.network.layers import AnyLayer, Network, Value
from arenite.firmware.plan.layout import Layout, layout_of
from arenite.ops.context import Array

_ALIGNMENT = 16
_T = TypeVar("_T")

#: How a layer of a subgraph is done.
Kernels = Callable[[AnyLayer], Work]


@dataclass(frozen=True, eq=False)
class Body:
    """A subgraph as a routine: of its block, constants and states, in this order."""

    number: int
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    routine: Routine
    layout: Layout
    constants: tuple[Constant, ...]
    states: tuple[State, ...]


def control(kernels: Kernels) -> dict[str, Callable[[AnyLayer], Work]]:
    """The kernels of the three operators, whose subgraphs' layers have ``kernels``."""
    known = WeakKeyDictionary[Network, Body]()  # callers of callers may be many

    def body(network: Network) -> Body:
        if network not in known:
            known[network] = _body(network, kernels)
        return known[network]

    def bodies(layer: AnyLayer) -> list[Body]:
        return [body(network) for network in layer.called]

    return {
        "IF": lambda layer: _if(layer, *bodies(layer)),
        "WHILE": lambda layer: _while(layer, *bodies(layer)),
        "CALL_ONCE": lambda layer: _call_once(layer, *bodies(layer)),
    }


# -- the operators ----------------------------------------------------------------------


def _if(layer: AnyLayer, then: Body, otherwise: Body) -> Work:
    """One subgraph or the other."""
    call = _Call(layer, (then, otherwise))
    values = call.inputs[1:]

    def branch(body: Body) -> str:
        return call.run(body, values)

    text = (
        f"if (*{call.inputs[0]}) {{\n{indented(branch(then))}\n"
        f"}} else {{\n{indented(branch(otherwise))}\n}}"
    )
    return call.work(text)


def _while(layer: AnyLayer, condition: Body, body: Body) -> Work:
    """A subgraph as long as another one says so; the outputs hold the values between rounds."""
    call = _Call(layer, (condition, body))
    given = [
        _copied(to, source, value, layer.input(number))
        for number, (to, source, value) in enumerate(
            zip(call.outputs, call.inputs, layer.outputs, strict=True)
        )
    ]
    asked = f"*({call.result(condition, 0)})"
    text = [
        *given,
        "for (;;) {",
        indented(call.enter(condition, call.outputs)),
        f"  if (!{asked}) return;",
        indented(call.run(body, call.outputs)),
        "}",
    ]
    return call.work("\n".join(text))


def _call_once(layer: AnyLayer, body: Body) -> Work:
    """A subgraph in the first inference; a reset does not bring it back."""
    call = _Call(layer, (body,))
    once = State(f"call once {layer.index}", 1, is_reset=False)
    text = f"if (*has_run) return;\n*has_run = 1;\n{call.enter(body, [])}"
    return call.work(text, (once,), ("uint8_t *has_run",))


class _Call:
    """A layer that calls subgraphs: names for what it is given, and statements."""

    def __init__(self, layer: AnyLayer, bodies: Sequence[Body]) -> None:
        self._layer, self._bodies = layer, bodies
        self.inputs = [f"x{number}" for number in range(len(layer.inputs))]
        self.outputs = [f"y{number}" for number in range(len(layer.outputs))]
        self._constants = _unique([c for body in bodies for c in body.constants])
        self._states = _unique([s for body in bodies for s in body.states])
        self._bytes = max((body.layout.size for body in bodies), default=0)

    def enter(self, body: Body, values: Sequence[str]) -> str:
        """Copy values to a subgraph and run it."""
        ports = body.inputs
        if len(ports) != len(values):
            raise UnsupportedError(f"expected {len(ports)} values for the subgraph")
        lines = [
            _copied(
                f"(arena + {body.layout.tensors[port.index]})",
                value,
                port,
                self._value(value),
            )
            for port, value in zip(ports, values, strict=True)
        ]
        arguments = ["arena"]
        arguments += [f"c{self._constants.index(one)}" for one in body.constants]
        arguments += [f"s{self._states.index(one)}" for one in body.states]
        return "\n".join([*lines, call_of(self._word(body), arguments) + ";"])

    def run(self, body: Body, values: Sequence[str]) -> str:
        """Enter a subgraph and take its results; without any they are zeros."""
        results = body.outputs
        lines = [self.enter(body, values)]
        for number, (name, value) in enumerate(zip(self.outputs, self._layer.outputs, strict=True)):
            if not results:
                lines.append(f"for (int32_t i = 0; i < {value.nbytes}; ++i) {name}[i] = 0;")
                continue
            source = self.result(body, number)
            lines.append(_copied(name, f"({source})", value, results[number]))
        return "\n".join(lines)

    def result(self, body: Body, number: int) -> str:
        """The bytes of a subgraph's output, once it has run."""
        value = body.outputs[number]
        if value.data is None:
            return f"arena + {body.layout.tensors[value.index]}"
        self._constants.append(_constant(value.data))
        return f"c{len(self._constants) - 1}"

    def work(
        self, text: str, states: tuple[State, ...] = (), declared: tuple[str, ...] = ()
    ) -> Work:
        """The layer, of statements in which all of its names are known."""
        layer = self._layer
        parameters = (
            *(f"const uint8_t *{name}" for name in self.inputs),
            *(f"uint8_t *{name}" for name in self.outputs),
            "uint8_t *arena",
            *_declared(self._constants, self._states),
            *declared,
        )
        parts = tuple((self._word(body)[1:-1], body.routine) for body in self._bodies)
        arguments: tuple[Argument, ...] = (
            *map(_bytes, map(layer.input, range(len(self.inputs)))),
            *layer.outputs,
            Scratch(max(self._bytes, 4), _ALIGNMENT),
            *self._constants,
            *self._states,
            *states,
        )
        unused = "(void)arena;\n" if "arena" not in text else ""
        routine = Routine(
            layer.name.lower() if layer.name != "IF" else "branch",
            parameters,
            unused + text,
            tuple(dict.fromkeys(parts)),
            about=str(layer),
        )
        return Work(routine, arguments)

    def _word(self, body: Body) -> str:
        return f"@subgraph{body.number}@"

    def _value(self, name: str) -> Value:
        side = self._layer.inputs if name.startswith("x") else self._layer.outputs
        value = side[int(name[1:])]
        assert value is not None
        return value


def _bytes(value: Value) -> Argument:
    return value if value.data is None else _constant(value.data)


def _constant(data: Array) -> Constant:
    values = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    return Constant("values", values, alignment=4)


def _copied(to: str, source: str, value: Value, given: Value) -> str:
    """A loop that copies a tensor, of which there are as many bytes on both sides.

    In words where elements are bytes or words themselves: tensors are at multiples of four.
    """
    size = value.nbytes
    if size != given.nbytes:
        raise UnsupportedError(f"expected {size} bytes for a subgraph's tensor, got {given.nbytes}")
    if size % 4 or {value.type.bits, given.type.bits} - {8, 32}:
        return f"for (int32_t i = 0; i < {size}; ++i) {to}[i] = {source}[i];"
    words = f"(uint32_t *)(void *){to}", f"(const uint32_t *)(const void *){source}"
    return f"for (int32_t i = 0; i < {size // 4}; ++i) ({words[0]})[i] = ({words[1]})[i];"


# -- a subgraph as a routine ------------------------------------------------------------


def _body(network: Network, kernels: Kernels) -> Body:
    works = [_work(network, layer, kernels) for layer in network.layers]
    layout = layout_of(network, works, "greedy", called=True)
    constants = _unique([one for work in works for one in work.constants])
    states = _unique([_own(network, one) for work in works for one in work.states])
    kept = {value.index: _state_of(network, value) for value in network.variables()}
    states = _unique([*states, *kept.values()])
    lines, parts = [], list[tuple[str, Routine]]()
    for layer, work, places in zip(network.layers, works, layout.scratch, strict=True):
        if work.routine is None:
            continue
        scratch = iter(places)
        arguments = []
        for one, declaration in zip(work.arguments, work.routine.parameters, strict=True):
            if isinstance(one, Constant):
                arguments.append(f"c{constants.index(one)}")
                continue
            kind = declaration[: declaration.rindex("*")].strip()
            if isinstance(one, Scratch):
                arguments.append(_at(kind, f"arena + {next(scratch)}"))
            elif isinstance(one, Value) and not one.is_variable:
                arguments.append(_at(kind, f"arena + {layout.tensors[one.index]}"))
            else:
                state = _own(network, one) if isinstance(one, State) else kept[one.index]
                arguments.append(_at(kind, f"s{states.index(state)}"))
        word = f"layer{layer.index}"
        parts.append((word, work.routine))
        lines.append(call_of(f"@{word}@", arguments) + ";")
    text = "\n".join(lines)
    parameters = ("uint8_t *arena", *_declared(constants, states))
    if "arena" not in text:
        text = f"(void)arena;\n{text}".rstrip()
    about = f"subgraph {network.number}"
    routine = Routine(f"subgraph{network.number}", parameters, text, tuple(parts), about=about)
    ports = network.inputs, network.outputs
    return Body(network.number, *ports, routine, layout, tuple(constants), tuple(states))


def _work(network: Network, layer: AnyLayer, kernels: Kernels) -> Work:
    try:
        return kernels(layer)
    except UnsupportedError as error:
        where = f"subgraph {network.number}, operator {layer.index}, {layer.name}"
        raise UnsupportedError(f"{where}: {error}") from None


def _at(kind: str, place: str) -> str:
    return f"({kind} *)(void *)({place})"


def _own(network: Network, state: State) -> State:
    """A state of a layer as another one than those of the same layer in other subgraphs."""
    if state.key.startswith(("variable ", "subgraph ")):
        return state
    return replace(state, key=f"subgraph {network.number}: {state.key}")


def _state_of(network: Network, value: Value) -> State:
    key = f"subgraph {network.number}: tensor {value.index}"
    return State(key, value.nbytes, value.reset, alignment=max(4, value.type.bits // 8))


def _declared(constants: Sequence[Constant], states: Sequence[State]) -> list[str]:
    """Parameters."""
    kinds = [C_TYPES[one.values.dtype] for one in constants]
    return [
        *(f"const {kind} *c{number}" for number, kind in enumerate(kinds)),
        *(f"uint8_t *s{number}" for number in range(len(states))),
    ]


def _unique(values: list[_T]) -> list[_T]:
    """Every value once; constants are equal only to themselves."""
    return list(dict.fromkeys(values))

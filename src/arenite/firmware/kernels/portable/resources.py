"""VAR_HANDLE, READ_VARIABLE and ASSIGN_VARIABLE: bytes that the arena keeps between inferences.

Where a subgraph's caller says which variable is meant, the kernel looks at its number; a number
without a variable leaves everything as it is. Facts: TFLM ``micro_resource_variable.cc``.
"""

from __future__ import annotations

from collections.abc import Callable

from arenite.c_text import indented
from arenite.firmware.kernels.portable.elementwise_loop import work_of
from arenite.firmware.kernels.portable.moving import Move, Write, in_c, in_units, moved
from arenite.firmware.kernels.portable.reshape_pad_concat import whole_bytes
from arenite.firmware.network.kernel import Arrays, State, UnsupportedError, Work
from arenite.firmware.network.layers import AnyLayer, Resource


def var_handle(layer: AnyLayer) -> Work:
    """A variable's number."""
    data = layer.output.data
    assert data is not None
    text = f"*y = {int(data.reshape(-1)[0])};"
    return work_of(layer, text, {})


def read_variable(layer: AnyLayer, write: Write = in_c) -> Work:
    """The variable's bytes; zeros behind them, and where nobody assigns it."""
    size, known = layer.output.nbytes, _known(layer)
    if known is not None and known.bytes == size > 0:
        return moved(layer, [Move(_state(known), layer.output, size)], write)

    def copy(one: Resource, name: str) -> str:
        lines = []
        if one.bytes:
            lines.append(f"for (int32_t i = 0; i < {one.bytes}; ++i) y[i] = {name}[i];")
        if one.bytes < size:
            lines.append(f"for (int32_t i = {one.bytes}; i < {size}; ++i) y[i] = 0;")
        return "\n".join(lines)

    meant = [one for one in _meant(layer) if one.bytes <= size]
    arrays, text = _chosen(layer, meant, copy, "const uint8_t")
    return work_of(layer, text, {**arrays, "uint8_t *y": layer.output})


def assign_variable(layer: AnyLayer, write: Write = in_c) -> Work:
    """As many bytes as the variable has."""
    value, known = layer.input(1), _known(layer)
    if known is not None and 0 < known.bytes <= value.nbytes:
        return moved(layer, [Move(whole_bytes(value), _state(known), known.bytes)], write)

    def copy(one: Resource, name: str) -> str:
        return f"for (int32_t i = 0; i < {one.bytes}; ++i) {name}[i] = x[i];"

    meant = [one for one in _meant(layer) if 0 < one.bytes <= value.nbytes]
    arrays, text = _chosen(layer, meant, copy, "uint8_t")
    return work_of(layer, text, {"const uint8_t *x": in_units(value, 1), **arrays})


def _known(layer: AnyLayer) -> Resource | None:
    """The variable that a layer means, where that is known."""
    return _meant(layer)[0] if layer.input(0).data is not None else None


def _state(one: Resource) -> State:
    return State(f"variable {one.number}", one.bytes, one.fill)


def _meant(layer: AnyLayer) -> list[Resource]:
    """The variables that a layer may mean: one where its number is known."""
    data = layer.input(0).data
    found = [one for one in layer.resources if data is None or one.number == data.reshape(-1)[0]]
    if not found:
        raise UnsupportedError("there is no such variable")
    return found


def _chosen(
    layer: AnyLayer, meant: list[Resource], copy: Callable[[Resource, str], str], kind: str
) -> tuple[Arrays, str]:
    """Arrays and statements for the variables that are meant."""
    if not meant:
        raise UnsupportedError("the variable and the value have other sizes")
    states = {f"{kind} *v{one.number}": _state(one) for one in meant if one.bytes}
    if layer.input(0).data is not None:
        return {**states}, copy(meant[0], f"v{meant[0].number}")
    cases = [
        f"if (*number == {one.number}) {{\n{indented(copy(one, f'v{one.number}'))}\n}}"
        for one in meant
    ]
    return {"const int32_t *number": layer.input(0), **states}, "\n".join(cases)


MOVERS = {"READ_VARIABLE": read_variable, "ASSIGN_VARIABLE": assign_variable}
KERNELS = {"VAR_HANDLE": var_handle, **MOVERS}

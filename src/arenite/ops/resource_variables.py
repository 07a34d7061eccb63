"""Resource variables: memory that operators share by name, from one inference to the next.

Facts: TFLM ``micro_resource_variable.{h,cc}``. A variable's memory belongs to the ASSIGN_VARIABLE
that is prepared first; it is in the arena's tail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from arenite.memory.arena import Bytes
from arenite.memory.liveness import ELEMENT_BYTES
from arenite.model import Model, Quantization, TensorType


class _Host(Protocol):
    """Demands of variables on a :class:`arenite.ops.context.Context`."""

    def report_error(self, message: str) -> NoReturn: ...
    def allocate_state(self, size: int, purpose: str = "") -> Bytes: ...
    def state_buffers(self) -> list[Bytes]: ...


class _Sized(Protocol):
    """Demands of variables on a tensor of a node."""

    @property
    def type(self) -> TensorType: ...
    @property
    def size(self) -> int: ...


class _Declared(_Sized, Protocol):
    """The same of a tensor in ``prepare``."""

    @property
    def quantization(self) -> Quantization | None: ...


class _Placed(_Sized, Protocol):
    """The same of a tensor in ``invoke``."""

    @property
    def data(self) -> npt.NDArray[Any] | None: ...


@dataclass(eq=False)
class ResourceVariable:
    """One variable: its names, and where its bytes are once a node allocated them.

    ``owner`` are that node's state buffers, of which the last one then was the variable's.
    """

    container: str | None
    shared_name: str | None
    default: int = 0
    owner: list[Bytes] | None = None
    number: int = 0

    @property
    def buffer(self) -> Bytes | None:
        """The variable's bytes; None where no ASSIGN_VARIABLE was prepared for it."""
        return None if self.owner is None else self.owner[self.number]


class ResourceVariables:
    """The variables of an interpreter (``MicroResourceVariables``), as many as have room."""

    def __init__(self, max_variable_count: int) -> None:
        self.max_variable_count = max_variable_count
        self.variables: list[ResourceVariable] = []

    def create_id_if_none_found(
        self, context: _Host, container: str | None, shared_name: str | None
    ) -> int:
        """The number of the variable with these names, a new one if there is none yet."""
        for number, variable in enumerate(self.variables):
            if container is not None and variable.container is None:
                context.report_error(
                    f"variable {shared_name!r} is in container {container!r}, and variable "
                    f"{variable.shared_name!r} is in none; TFLM cannot compare the two"
                )
            if container is None or container == variable.container:
                if shared_name is None or variable.shared_name is None:
                    context.report_error("expected a variable's shared_name, got none")
                if shared_name == variable.shared_name:
                    return number
        if len(self.variables) >= self.max_variable_count:
            context.report_error(
                f"variable {shared_name!r} is one more than the {self.max_variable_count} that "
                "there is room for; MicroInterpreter takes resource_variables=..."
            )
        self.variables.append(ResourceVariable(container, shared_name))
        return len(self.variables) - 1

    def allocate(self, id_: int, context: _Host, tensor: _Declared) -> None:
        """Give a variable memory for the tensor's bytes, if it has none yet."""
        variable = self.get(id_, context)
        if variable.owner is not None:
            return
        size = context_bytes(context, tensor)
        quantization = tensor.quantization
        if quantization is not None and len(quantization.scale) and len(quantization.zero_point):
            variable.default = int(quantization.zero_point[0]) & 0xFF
        context.allocate_state(size, f"variable {variable.shared_name}")[...] = variable.default
        variable.owner = context.state_buffers()
        variable.number = len(variable.owner) - 1

    def get(self, id_: int | None, context: _Host) -> ResourceVariable:
        """The variable of that number."""
        if id_ is None or not 0 <= id_ < len(self.variables):
            context.report_error(f"there is no variable of number {id_}")
        return self.variables[id_]

    def buffers(self, number: int | None) -> list[Bytes] | None:
        """The memory of one variable, or of all; None if one of these has none."""
        chosen = self.variables if number is None else self.variables[number : number + 1]
        found = [one.buffer for one in chosen if one.buffer is not None]
        return found if len(found) == len(chosen) > 0 else None

    def reset_all(self) -> None:
        """Fill every variable with its zero point (``ResetAll``), whatever CALL_ONCE put there."""
        for variable in self.variables:
            if variable.buffer is not None:
                variable.buffer[...] = variable.default


def count_names(model: Model) -> int:
    """Variables that TFLM's package makes room for: different shared names in the model."""
    return len(
        {
            getattr(operator.options, "shared_name", None)
            for subgraph in model.subgraphs
            for operator in subgraph.operators
            if operator.name == "VAR_HANDLE"
        }
    )


def context_bytes(context: _Host, tensor: _Sized) -> int:
    """Bytes of a tensor as TFLM counts them: an int4 element is one byte."""
    size = ELEMENT_BYTES.get(tensor.type)
    if size is None:
        context.report_error(f"TFLM has no size for elements of type {tensor.type}")
    return int(size * tensor.size)


def raw_bytes(context: _Host, tensor: _Placed) -> Bytes:
    """A tensor's bytes, as many as TFLM counts."""
    assert tensor.data is not None
    raw: Bytes = tensor.data.reshape(-1).view(np.uint8)
    size = context_bytes(context, tensor)
    if raw.size < size:
        context.report_error(f"a packed tensor has {raw.size} bytes, TFLM would copy {size}")
    return raw[:size]

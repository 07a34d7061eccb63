"""Interpreter in an arena by TFLM's names, as ``tflite_micro.runtime`` has it.

Facts: TFLM ``python/tflite_micro/runtime.py``, ``interpreter_wrapper.cc``. Where TFLM's package
ends the process, this raises. As there, a file need not have TensorFlow Lite's identifier nor the
schema's version, and is never looked at as another kind of model; it is verified all the same.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError
from arenite.files import read_file
from arenite.formats import tflite
from arenite.memory.recording import Category
from arenite.model import Model, Tensor
from arenite.model.details import copied, quantization_parameters, shape_array
from arenite.model.model import Array
from arenite.ops import AllOpsResolver
from arenite.runtime.micro_interpreter import MicroInterpreter

Details = dict[str, Any]

#: The categories that TFLM prints, with its word for what is counted.
_COUNTED = {
    Category.EVAL_TENSOR.value: "allocations",
    Category.PERSISTENT_TENSOR.value: "tensors",
    Category.QUANTIZATION.value: "allocations",
    Category.PERSISTENT_BUFFER.value: "allocations",
    Category.VARIABLE.value: "allocations",
    Category.NODE_AND_REGISTRATION.value: "NodeAndRegistration structs",
}


class InterpreterConfig(Enum):
    """Memory of an interpreter: its allocations, or every tensor's value for ``GetTensor``."""

    kAllocationRecording = 0  # noqa: N815 - TFLM's name
    kPreserveAllTensors = 1  # noqa: N815 - TFLM's name


class Interpreter:
    """TFLM's interpreter; :meth:`from_file` and :meth:`from_bytes` make one.

    Args:
        model_data: A file's bytes.
        custom_op_registerers: Names of C functions in TFLM's package. Here the 17 custom operators
            of TFLM are always there, under their own names, so only an empty list is taken;
            ``arenite.MicroInterpreter`` runs operators written in Python.
        arena_size: In bytes; by default ten times the model's size.
        intrepreter_config: See :class:`InterpreterConfig`; spelled as in TFLM.
        alt_decompression_memory_size: Bytes beside the arena for what DECODE decompresses.

    Raises:
        ValueError: There is no model, or it is malformed.
        RuntimeError: The arena is too small, operators are missing, or one cannot run what the
            model asks of it.
    """

    def __init__(
        self,
        model_data: bytes | bytearray,
        custom_op_registerers: list[str],
        arena_size: int | None,
        intrepreter_config: InterpreterConfig = InterpreterConfig.kAllocationRecording,
        alt_decompression_memory_size: int = 0,
    ) -> None:
        if model_data is None:
            raise ValueError("Model must not be None")
        _check_registerers(custom_op_registerers)
        self._model = _model(model_data)
        size = len(model_data) * 10 if arena_size is None else arena_size
        keeps = intrepreter_config is InterpreterConfig.kPreserveAllTensors
        with _as_runtime_error():
            self._micro = MicroInterpreter(
                self._model, AllOpsResolver(), size, engine="auto", preserve_all_tensors=keeps
            )
            if alt_decompression_memory_size:
                self._micro.set_decompression_memory(alt_decompression_memory_size)
            self._micro.allocate_tensors()
        self._config = intrepreter_config

    @classmethod
    def from_file(
        cls,
        model_path: str | os.PathLike[str],
        custom_op_registerers: list[str] | None = None,
        arena_size: int | None = None,
        intrepreter_config: InterpreterConfig = InterpreterConfig.kAllocationRecording,
        alt_decompression_memory_size: int = 0,
    ) -> Interpreter:
        """An interpreter of a ``.tflite`` file.

        Raises:
            ValueError: There is no such file.
        """
        if model_path is None or not os.path.isfile(model_path):
            raise ValueError(f"Invalid model file path: {model_path!r}")
        return cls.from_bytes(
            read_file(model_path),
            custom_op_registerers,
            arena_size,
            intrepreter_config,
            alt_decompression_memory_size,
        )

    @classmethod
    def from_bytes(
        cls,
        model_data: bytes | bytearray,
        custom_op_registerers: list[str] | None = None,
        arena_size: int | None = None,
        intrepreter_config: InterpreterConfig = InterpreterConfig.kAllocationRecording,
        alt_decompression_memory_size: int = 0,
    ) -> Interpreter:
        """An interpreter of a ``.tflite`` file's bytes."""
        registerers = [] if custom_op_registerers is None else custom_op_registerers
        return cls(
            model_data, registerers, arena_size, intrepreter_config, alt_decompression_memory_size
        )

    # -- running

    def set_input(self, input_data: npt.ArrayLike, index: int) -> None:
        """Copy an array into input ``index``.

        Raises:
            ValueError: The array has another type or shape, or the index is negative.
            IndexError: There is no such input.
        """
        if input_data is None:
            raise ValueError("Input data must not be None")
        data, place = np.asarray(input_data), self._micro.input(self._index(index, "inputs"))
        if data.dtype != place.dtype:
            raise ValueError(
                f"Cannot set tensor: Got value of type {data.dtype} but expected type "
                f"{place.dtype} for input {index}"
            )
        if data.shape != place.shape:
            raise ValueError(
                f"Cannot set tensor: Dimension mismatch. Got {data.shape} but expected "
                f"{place.shape} for input {index}"
            )
        place[...] = data

    def invoke(self) -> int:
        """Run the model; 0, TFLM's ``kTfLiteOk``.

        Raises:
            RuntimeError: An operator failed.
        """
        with _as_runtime_error():
            self._micro.invoke()
        return 0

    def reset(self) -> int:
        """Variable tensors back to their zero points, operators back to their start; 0."""
        with _as_runtime_error():
            self._micro.reset()
        return 0

    def get_output(self, index: int) -> Array:
        """A copy of output ``index``; NumPy's scalar where it has no dimensions.

        Raises:
            ValueError: The index is negative.
            IndexError: There is no such output.
        """
        return copied(self._micro.output(self._index(index, "outputs")))

    # -- facts

    def get_input_details(self, index: int) -> Details:
        """``dtype``, ``shape`` and ``quantization_parameters`` of input ``index``."""
        return _details(self._model.inputs[self._index(index, "inputs")])

    def get_output_details(self, index: int) -> Details:
        """The same of output ``index``."""
        return _details(self._model.outputs[self._index(index, "outputs")])

    def GetTensor(self, tensor_index: int, subgraph_index: int) -> Details:  # noqa: N802 - TFLM's
        """``dtype``, ``shape`` and ``tensor_data`` of any tensor.

        Raises:
            RuntimeError: The interpreter does not preserve all tensors.
            IndexError: There is no such tensor.
        """
        if self._config is not InterpreterConfig.kPreserveAllTensors:
            raise RuntimeError(
                "TFLM only supports GetTensor() when using a python interpreter with the "
                "InterpreterConfig.kPreserveAllTensors interpreter_config"
            )
        if not 0 <= subgraph_index < len(self._model.subgraphs):
            raise IndexError(f"expected one of {len(self._model.subgraphs)} subgraphs")
        try:
            data = copied(self._micro.tensor(tensor_index, subgraph_index))
        except KeyError as error:
            raise IndexError(str(error)) from error
        return {"dtype": data.dtype.type, "shape": shape_array(data.shape), "tensor_data": data}

    def print_allocations(self) -> None:
        """TFLM's table of the arena, to standard error."""
        used, found = self._micro.arena, self._micro.allocations()
        lines = [
            f"Arena allocation total {used.used} bytes",
            f"Arena allocation head {used.head_used} bytes",
            f"Arena allocation tail {used.tail_used} bytes",
        ]
        lines += [
            f"'{row.name}' used {row.used_bytes} bytes with alignment overhead (requested "
            f"{row.requested_bytes} bytes for {row.count} {_COUNTED[row.name]})"
            for row in found.categories
            if row.name in _COUNTED and row.requested_bytes
        ]
        for line in lines:
            print(f"[RecordingMicroAllocator] {line}", file=sys.stderr)

    def __repr__(self) -> str:
        return repr(self._micro).replace("MicroInterpreter", "tflm.Interpreter")

    # -- inside

    def _index(self, index: int, kind: str) -> int:
        if not isinstance(index, int | np.integer) or index < 0:
            raise ValueError("Index must be a non-negative integer")
        count = len(getattr(self._model, kind))
        if index >= count:
            raise IndexError(
                f"Tensor is out of bound, please check tensor index: got {index} of {count} {kind}"
            )
        return index


def _details(tensor: Tensor) -> Details:
    return {
        "dtype": tensor.type.dtype.type,
        "shape": shape_array(tensor.shape),
        "quantization_parameters": quantization_parameters(tensor),
    }


def _check_registerers(registerers: object) -> None:
    if not isinstance(registerers, list) or not all(isinstance(name, str) for name in registerers):
        raise ValueError("Custom ops registerers must be a list of strings")
    if registerers:
        raise RuntimeError(
            f"TFLM could not register custom op via {registerers[0]}: it is a function of a C++ "
            "library; register operators in Python with arenite.MicroInterpreter"
        )


def _model(data: bytes | bytearray) -> Model:
    if isinstance(data, str):
        raise TypeError("model_data: expected bytes, got str")
    try:
        return tflite.read(data, is_marked=False)
    except AreniteError as error:
        raise ValueError(str(error)) from error


@contextmanager
def _as_runtime_error() -> Iterator[None]:
    """Raise what scripts for TFLM's package catch."""
    try:
        yield
    except (AreniteError, MemoryError) as error:
        raise RuntimeError(str(error)) from error

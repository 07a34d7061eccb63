"""LiteRT's interpreter on Arenite's engine: ``from arenite.litert import Interpreter``.

Names, arguments, keys and classes of errors are those of ``ai_edge_litert.interpreter`` (LiteRT
``interpreter.py``), so a script changes its import and nothing else. What differs is meant:

- the numbers are TensorFlow Lite Micro's, or those of ``target``, not XNNPACK's;
- every tensor keeps its value, with or without ``experimental_preserve_all_tensors``;
- the arrays of ``tensor()`` may be held while ``invoke()`` runs;
- there are no delegates; ``num_threads`` share one inference, as in ``arenite.Interpreter``, which
  has ``predict(batch, threads=2)`` as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, unique
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError
from arenite.formats import load
from arenite.model import Model, Tensor, TensorType
from arenite.model.details import quantization, quantization_parameters, shape_array
from arenite.model.model import Array, SignatureDef
from arenite.ops import AllOpsResolver, OpResolver
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target

Details = dict[str, Any]


@unique
class OpResolverType(Enum):
    """LiteRT's choices of kernels. Here all of them mean the same: TFLM's results."""

    AUTO = 0
    BUILTIN = 1
    BUILTIN_REF = 2
    BUILTIN_WITHOUT_DEFAULT_DELEGATES = 3


def load_delegate(library: str, options: object = None) -> Any:
    """There are no delegates.

    Raises:
        ValueError: Always.
    """
    raise ValueError(
        f"no delegates: {library!r} cannot be loaded, all operators run on Arenite's own kernels"
    )


class Interpreter:
    """Runs a model; its tensors are on the heap, and its inputs can be resized.

    Args:
        model_path: A ``.tflite`` or ``.mnn`` file.
        model_content: A file's bytes, instead.
        experimental_delegates: None: there are no delegates.
        num_threads: How many threads share an inference; one by default.
        experimental_op_resolver_type: Checked, and ignored.
        experimental_preserve_all_tensors: Tensors are always preserved.
        options: LiteRT's other ``experimental_...`` arguments, which change nothing.
        target: Which firmware's bits are meant, see :class:`arenite.Interpreter`.
        resolver: Finds the operators, custom ones included.

    Raises:
        ValueError: There is no file, it is malformed, operators are missing, or an argument is
            wrong.
        TypeError: An argument is unknown.
    """

    def __init__(  # noqa: PLR0917 - LiteRT's order
        self,
        model_path: str | os.PathLike[str] | None = None,
        model_content: bytes | None = None,
        experimental_delegates: Sequence[Any] | None = None,
        num_threads: int | None = None,
        experimental_op_resolver_type: OpResolverType = OpResolverType.AUTO,
        experimental_preserve_all_tensors: bool = False,
        *,
        target: Target | str | None = None,
        resolver: OpResolver | None = None,
        **options: object,
    ) -> None:
        _check(experimental_delegates, num_threads, experimental_op_resolver_type, options)
        self._model = _model(model_path, model_content)
        try:
            self._runner = HeapInterpreter(
                self._model,
                AllOpsResolver() if resolver is None else resolver,
                target=target,
                engine="auto",
                threads=num_threads or 1,
            )
        except AreniteError as error:
            raise ValueError(str(error)) from error
        self._is_ready = False

    # -- running

    def allocate_tensors(self) -> None:
        """Prepare every operator for the present input shapes, and allocate all tensors.

        A second call changes nothing, unless an input was resized.

        Raises:
            RuntimeError: An operator cannot run what the model asks of it.
        """
        if self._is_ready:
            return
        with _as_runtime_error():
            self._runner.allocate_tensors()
        self._is_ready = True

    def invoke(self) -> None:
        """Run the model.

        Raises:
            RuntimeError: Tensors are not allocated, or an operator failed.
        """
        if not self._is_ready:
            raise RuntimeError("Invoke called on model that is not ready: allocate_tensors() first")
        with _as_runtime_error():
            self._runner.invoke()

    def reset_all_variables(self) -> None:
        """Variable tensors back to their zero points, operators back to their start."""
        if self._is_ready:
            self._runner.reset()

    # -- tensors

    def set_tensor(self, tensor_index: int, value: npt.ArrayLike) -> None:
        """Copy ``value`` into a tensor of the main subgraph.

        Raises:
            ValueError: There is no such tensor, it is a constant or not allocated, or the value has
                another type or shape.
        """
        tensor, data = self._tensor(tensor_index), np.asarray(value)
        if tensor.is_constant:
            raise ValueError(
                f"Cannot set tensor {tensor_index} ({tensor.name!r}): it is a constant"
            )
        if not self._is_ready:
            raise ValueError(
                "Cannot set tensor: it is not allocated, call allocate_tensors() first"
            )
        place = self._array(tensor_index)
        if data.dtype != place.dtype:
            raise ValueError(
                f"Cannot set tensor: Got value of type {data.dtype} but expected type "
                f"{place.dtype} for input {tensor_index}, name: {tensor.name}"
            )
        if data.shape != place.shape:
            raise ValueError(
                f"Cannot set tensor: Dimension mismatch. Got {data.shape} but expected "
                f"{place.shape} for input {tensor_index}, name: {tensor.name}"
            )
        place[...] = data

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> Array:
        """A copy of a tensor's value.

        Raises:
            ValueError: There is no such tensor, or it is not allocated.
        """
        found: Array = self._array(tensor_index, subgraph_index).copy()
        return found

    def tensor(self, tensor_index: int) -> Any:
        """A function that returns a view of a tensor: writable, unless it is a constant."""
        return lambda: self._array(tensor_index)

    def resize_tensor_input(
        self, input_index: int, tensor_size: npt.ArrayLike, strict: bool = False
    ) -> None:
        """Change an input's shape; call :meth:`allocate_tensors` afterwards.

        Args:
            input_index: A tensor's index, as in :meth:`get_input_details`.
            tensor_size: The new shape; the number of dimensions stays.
            strict: Only dimensions that the file leaves open may change.

        Raises:
            ValueError: There is no such input, or the shape is impossible.
        """
        shape = tuple(int(size) for size in np.asarray(tensor_size, np.int32))
        inputs = self._model.main.inputs
        if input_index not in inputs:
            raise ValueError(f"expected the index of an input, one of {inputs}, got {input_index}")
        tensor = self._tensor(input_index)
        if strict:
            _check_strictly(tensor, shape)
        if shape == self._shape(input_index, 0):
            return
        self._runner.resize_input(inputs.index(input_index), shape)
        self._is_ready = False

    # -- facts

    def get_input_details(self) -> list[Details]:
        """A dictionary for every input: name, index, shape, dtype, quantisation."""
        return [self._details(index) for index in self._model.main.inputs]

    def get_output_details(self) -> list[Details]:
        """A dictionary for every output."""
        return [self._details(index) for index in self._model.main.outputs]

    def get_tensor_details(self, subgraph_index: int = 0) -> list[Details]:
        """A dictionary for every tensor of a subgraph.

        Raises:
            ValueError: There is no such subgraph.
        """
        count = self.num_subgraphs()
        if not 0 <= subgraph_index < count:
            raise ValueError(
                f"subgraph_index is out of range: {subgraph_index} for the model, which has "
                f"{count} subgraphs."
            )
        tensors = self._model.subgraphs[subgraph_index].tensors
        return [self._details(index, subgraph_index) for index in range(len(tensors))]

    def num_subgraphs(self) -> int:
        """Number of subgraphs."""
        return len(self._model.subgraphs)

    def get_signature_list(self) -> dict[str, dict[str, list[str]]]:
        """Names of inputs and outputs by signature."""
        return {
            one.key: {"inputs": list(one.inputs), "outputs": list(one.outputs)}
            for one in self._model.signatures
        }

    def get_signature_runner(self, signature_key: str | None = None) -> SignatureRunner:
        """A function of a signature's inputs; the key may be left out where there is only one.

        Raises:
            ValueError: There is no such signature, or it is not the main subgraph's.
        """
        found = {one.key: one for one in self._model.signatures}
        if signature_key is None:
            if len(found) != 1:
                raise ValueError(
                    f"SignatureDef signature_key is None and model has {len(found)} Signatures. "
                    "None is only allowed when the model has 1 SignatureDef"
                )
            signature_key = next(iter(found))
        if signature_key not in found:
            raise ValueError(f'Invalid signature_key provided: "{signature_key}".')
        if found[signature_key].subgraph:
            raise ValueError(
                f'signature "{signature_key}": expected one of the main subgraph, got one of '
                f"subgraph {found[signature_key].subgraph}, which TFLM cannot run by itself"
            )
        return SignatureRunner(self, found[signature_key])

    def __repr__(self) -> str:
        return repr(self._runner).replace("HeapInterpreter", "litert.Interpreter")

    # -- inside

    def _tensor(self, index: int, subgraph: int = 0) -> Tensor:
        tensors = self._model.subgraphs[subgraph].tensors
        if not 0 <= index < len(tensors):
            raise ValueError(
                f"Invalid tensor index {index} exceeds max tensor index {len(tensors) - 1}"
            )
        return tensors[index]

    def _array(self, index: int, subgraph: int = 0) -> Array:
        if not 0 <= subgraph < self.num_subgraphs():
            raise ValueError(f"Invalid subgraph index {subgraph}: there are {self.num_subgraphs()}")
        tensor = self._tensor(index, subgraph)
        if tensor.value is not None:
            return tensor.value
        data = self._runner.eval_tensor(index, subgraph).data if self._is_ready else None
        if data is None:
            raise ValueError("Tensor data is null. Run allocate_tensors() first")
        found: Array = data.view()
        return found

    def _shape(self, index: int, subgraph: int) -> tuple[int, ...]:
        return self._runner.eval_tensor(index, subgraph).shape

    def _details(self, index: int, subgraph: int = 0) -> Details:
        tensor = self._tensor(index, subgraph)
        shape = self._shape(index, subgraph)
        return {
            "name": tensor.name,
            "index": index,
            "shape": shape_array(shape),
            "shape_signature": shape_array(tensor.shape_signature or shape),
            "dtype": np.bytes_ if tensor.type is TensorType.STRING else tensor.type.dtype.type,
            "quantization": quantization(tensor),
            "quantization_parameters": {**quantization_parameters(tensor), "block_size": 0},
            "sparsity_parameters": {},
        }


class SignatureRunner:
    """A signature as a function: named arrays in, a dictionary of arrays out."""

    def __init__(self, interpreter: Interpreter, signature: SignatureDef) -> None:
        self._interpreter = interpreter
        self._signature = signature

    def __call__(self, **inputs: npt.ArrayLike) -> dict[str, Array]:
        """Resize the inputs to these arrays' shapes, and run.

        Raises:
            ValueError: An input is missing or unknown, or an array has another type.
            RuntimeError: The model cannot run with these shapes.
        """
        interpreter, signature = self._interpreter, self._signature
        if len(inputs) != len(signature.inputs):
            raise ValueError(
                "Invalid number of inputs provided for running a SignatureDef, expected "
                f"{len(signature.inputs)} vs provided {len(inputs)}"
            )
        for name in inputs:
            if name not in signature.inputs:
                raise ValueError(f"Invalid Input name ({name}) for SignatureDef")
        arrays = {signature.inputs[name]: np.asarray(value) for name, value in inputs.items()}
        for index, array in arrays.items():
            interpreter.resize_tensor_input(index, array.shape)
        interpreter.allocate_tensors()
        for index, array in arrays.items():
            interpreter.set_tensor(index, array)
        interpreter.invoke()
        return {name: interpreter.get_tensor(i) for name, i in signature.outputs.items()}

    def get_input_details(self) -> dict[str, Details]:
        """A dictionary for every input, by name."""
        return self._details(self._interpreter.get_tensor_details(), self._signature.inputs)

    def get_output_details(self) -> dict[str, Details]:
        """A dictionary for every output, by name."""
        return self._details(self._interpreter.get_tensor_details(), self._signature.outputs)

    @staticmethod
    def _details(tensors: list[Details], names: Any) -> dict[str, Details]:
        return {name: tensors[index] for name, index in names.items()}


#: LiteRT's other arguments; they are about delegates and about what details show.
_OPTIONS = (
    "experimental_disable_delegate_clustering",
    "experimental_default_delegate_latest_features",
    "experimental_compress_quantization_zero_points",
    "experimental_disable_delegate_node_fusion",
    "experimental_force_delegate_node_profiling",
)


def _check(
    delegates: Sequence[Any] | None, num_threads: object, kind: object, options: dict[str, object]
) -> None:
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        raise TypeError(f"Interpreter() got an unexpected keyword argument {unknown[0]!r}")
    if delegates:
        raise ValueError("expected no experimental_delegates: Arenite runs all operators itself")
    if not isinstance(kind, OpResolverType):
        raise ValueError(f"Unrecognized passed in op resolver type: {kind}")
    if num_threads is None:
        return
    if not isinstance(num_threads, int):
        raise ValueError("type of num_threads should be int")
    if num_threads < 1:
        raise ValueError("num_threads should >= 1")


def _model(path: str | os.PathLike[str] | None, content: bytes | None) -> Model:
    if path and content:
        raise ValueError("Can't both provide `model_path` and `model_content`")
    source = path or content
    if not source:
        raise ValueError("`model_path` or `model_content` must be specified.")
    if path is None and isinstance(source, str):
        raise TypeError("model_content: expected bytes, got str")
    try:
        return load(source)
    except (AreniteError, OSError) as error:
        raise ValueError(str(error)) from error


def _check_strictly(tensor: Tensor, shape: tuple[int, ...]) -> None:
    known = tensor.shape_signature or tensor.shape
    fits = len(known) == len(shape) and all(a in (-1, b) for a, b in zip(known, shape, strict=True))
    if not fits:
        raise ValueError(
            f"input {tensor.name!r}: expected a shape like {list(known)}, where -1 may be any "
            f"size, got {list(shape)}"
        )


@contextmanager
def _as_runtime_error() -> Iterator[None]:
    """What LiteRT's scripts catch."""
    try:
        yield
    except (AreniteError, MemoryError) as error:
        if isinstance(error, RuntimeError):
            raise
        raise RuntimeError(str(error)) from error

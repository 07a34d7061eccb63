"""LiteRT's ``interpreter.py``: the interpreter, under its own names.

Facts: LiteRT ``python/interpreter.py``, ``interpreter_wrapper.cc``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from arenite.errors import AreniteError, UnsupportedOperatorError
from arenite.litert.arguments import OPTIONS, OpResolverType, check_arguments, model_from
from arenite.litert.details import (
    Details,
    check_strictly,
    check_value,
    has_details,
    operator_details,
    tensor_details,
)
from arenite.litert.held import HeldArrays
from arenite.litert.resolver import CustomOpResolver
from arenite.litert.signatures import SignatureRunner, in_order
from arenite.model import Tensor
from arenite.model.details import copied
from arenite.model.model import Array, SignatureDef
from arenite.ops import AllOpsResolver, OpResolver
from arenite.options import refuse, whole
from arenite.runtime.heap_host import HeapInterpreter
from arenite.target import Target


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
        check_arguments(experimental_delegates, num_threads, experimental_op_resolver_type, options)
        self._compresses_zero_points = bool(options.get(OPTIONS[2]))
        self._model = model = model_from(model_path, model_content)
        try:
            self._runner = HeapInterpreter(
                model,
                CustomOpResolver(model, AllOpsResolver() if resolver is None else resolver),
                target=target,
                engine="auto",
                threads=num_threads or 1,
                keeps_resources=True,
            )
        except UnsupportedOperatorError as error:
            words = f"Didn't find op for builtin opcode '{error.missing[0]}'. {error}"
            raise ValueError(words) from error
        except AreniteError as error:
            raise ValueError(str(error)) from error
        self._signatures = {one.key: in_order(one) for one in model.signatures}
        self._held = HeldArrays()
        self._is_ready = False

    # -- running

    def allocate_tensors(self) -> None:
        """Prepare every operator for the present input shapes, and allocate all tensors.

        A second call changes nothing, unless an input was resized.

        Raises:
            RuntimeError: An operator cannot run what the model asks of it, a custom operator is
                missing, or an array of :meth:`tensor` is held.
        """
        self._held.check()
        self._allocate()

    def _allocate(self) -> None:
        if self._is_ready:
            return
        with _as_runtime_error():
            self._runner.allocate_tensors()
        self._is_ready = True

    def invoke(self) -> None:
        """Run the model.

        Raises:
            RuntimeError: Tensors are not allocated, an operator failed, or an array of
                :meth:`tensor` is held.
        """
        self._held.check()
        if not self._is_ready:
            raise RuntimeError("Invoke called on model that is not ready: allocate_tensors() first")
        with _as_runtime_error():
            self._runner.invoke()

    def reset_all_variables(self) -> None:
        """Variable tensors back to their zero points; resource variables keep their values.

        Operators that TFLM alone has, such as SignalFramer, begin anew.
        """
        if self._is_ready:
            self._runner.reset()

    # -- tensors

    def set_tensor(self, tensor_index: int, value: npt.ArrayLike) -> None:
        """Copy ``value`` into a tensor of the main subgraph.

        Raises:
            ValueError: There is no such tensor, it is a constant or not allocated, or the value has
                another type or shape.
        """
        self._set(tensor_index, np.asarray(value), 0)

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> Array:
        """A copy of a tensor's value; NumPy's scalar where the tensor has no dimensions.

        Raises:
            ValueError: There is no such tensor, or it is not allocated.
        """
        return copied(self._array(tensor_index, subgraph_index))

    def tensor(self, tensor_index: int) -> Callable[[], Array]:
        """A function that returns a view of a tensor: writable, unless it is a constant.

        Nothing runs while such an array, or a slice of one, is held; the function may be. A tensor
        without dimensions is NumPy's scalar, a copy, as in LiteRT.
        """
        return lambda: self._held.view(self._array(tensor_index))

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
            RuntimeError: ``strict``, and another dimension would change; or an array of
                :meth:`tensor` is held.
        """
        self._held.check()
        try:
            sizes = np.asarray(tensor_size, np.int32)
        except (TypeError, ValueError, OverflowError):
            refuse("tensor_size", "dimensions of 32 bits", tensor_size, ValueError)
        if sizes.ndim != 1:
            raise ValueError(f"Shape should be 1D instead of {sizes.ndim}.")
        shape = tuple(map(int, sizes))
        if strict:
            check_strictly(self._tensor(input_index), input_index, shape)
        self._resize(input_index, shape, 0)

    # -- facts

    def get_input_details(self) -> list[Details]:
        """A dictionary for every input: name, index, shape, dtype, quantisation."""
        return [self._get_tensor_details(index) for index in self._model.main.inputs]

    def get_output_details(self) -> list[Details]:
        """A dictionary for every output."""
        return [self._get_tensor_details(index) for index in self._model.main.outputs]

    def get_tensor_details(self, subgraph_index: int = 0) -> list[Details]:
        """A dictionary for every tensor of a subgraph.

        Raises:
            ValueError: There is no such subgraph.
        """
        count = self.num_subgraphs()
        whole()("subgraph_index", subgraph_index)
        if not 0 <= subgraph_index < count:
            raise ValueError(
                f"subgraph_index is out of range: {subgraph_index} for the model, which has "
                f"{count} subgraphs."
            )
        tensors = self._model.subgraphs[subgraph_index].tensors
        found = range(len(tensors))
        return [
            self._get_tensor_details(index, subgraph_index)
            for index in found
            if has_details(tensors[index].type)
        ]

    def num_subgraphs(self) -> int:
        """Number of subgraphs."""
        return len(self._model.subgraphs)

    @property
    def experimental_compress_quantization_zero_points(self) -> bool:
        """The argument of that name, which changes nothing."""
        return self._compresses_zero_points

    def get_signature_list(self) -> dict[str, dict[str, list[str]]]:
        """Names of inputs and outputs by signature, sorted."""
        return {
            key: {"inputs": list(one.inputs), "outputs": list(one.outputs)}
            for key, one in self._signatures.items()
        }

    def get_signature_runner(self, signature_key: str | None = None) -> SignatureRunner:
        """A function of a signature's inputs; the key may be left out where there is only one.

        Raises:
            ValueError: There is no such signature.
        """
        if signature_key is None:
            count = len(self._signatures)
            if count != 1:
                raise ValueError(
                    f"SignatureDef signature_key is None and model has {count} Signatures. "
                    "None is only allowed when the model has 1 SignatureDef"
                )
            signature_key = next(iter(self._signatures))
        return SignatureRunner(self, signature_key)

    # -- what LiteRT has for its own tools, and scripts call all the same

    def _get_full_signature_list(self) -> dict[str, dict[str, dict[str, int]]]:
        """The same as :meth:`get_signature_list`, with the tensors' indices."""
        return {
            key: {"inputs": dict(one.inputs), "outputs": dict(one.outputs)}
            for key, one in self._signatures.items()
        }

    def _get_op_details(self, op_index: int) -> Details:
        """Number, name, tensors and their types of an operator of the main subgraph.

        Raises:
            ValueError: There is no such operator.
        """
        return operator_details(self._model.main, op_index)

    def _get_ops_details(self) -> list[Details]:
        """The same of every operator, in order: those of the file, since there are no delegates."""
        return [self._get_op_details(index) for index in range(len(self._model.main.operators))]

    def _get_tensor_details(self, tensor_index: int, subgraph_index: int = 0) -> Details:
        """Name, index, shape, dtype and quantisation of a tensor.

        Raises:
            ValueError: There is no such tensor.
        """
        tensor = self._tensor(tensor_index, subgraph_index)
        return tensor_details(tensor, tensor_index, self._shape(tensor_index, subgraph_index))

    def _safe_to_run(self) -> bool:
        """Whether no array of :meth:`tensor` is held."""
        return self._held.are_gone

    def _ensure_safe(self) -> None:
        """Raise RuntimeError while an array of :meth:`tensor` is held."""
        self._held.check()

    def __repr__(self) -> str:
        return repr(self._runner).replace("HeapInterpreter", "litert.Interpreter")

    # -- inside

    def _signature(self, key: str) -> SignatureDef:
        if key not in self._signatures:
            raise ValueError(f'Invalid signature_key provided: "{key}".')
        return self._signatures[key]

    def _run(
        self, subgraph: int, inputs: Mapping[int, Array], outputs: Sequence[int]
    ) -> list[Array]:
        """Run a subgraph on inputs of any shape; copies of its outputs."""
        for index, array in inputs.items():
            self._resize(index, array.shape, subgraph)
        self._allocate()
        for index, array in inputs.items():
            self._set(index, array, subgraph)
        with _as_runtime_error():
            self._runner.invoke_subgraph(subgraph)
        return [self.get_tensor(index, subgraph) for index in outputs]

    def _resize(self, index: int, shape: tuple[int, ...], subgraph: int) -> None:
        inputs = self._model.subgraphs[subgraph].inputs
        if not isinstance(index, int | np.integer) or index not in inputs:
            raise ValueError(f"expected the index of an input, one of {inputs}, got {index}")
        if shape == self._shape(index, subgraph):
            return
        self._runner.resize_input(inputs.index(index), shape, subgraph)
        self._is_ready = False

    def _set(self, index: int, data: Array, subgraph: int) -> None:
        tensor = self._tensor(index, subgraph)
        if tensor.is_constant:
            raise ValueError(f"Cannot set tensor {index} ({tensor.name!r}): it is a constant")
        if not self._is_ready:
            raise ValueError(
                "Cannot set tensor: Tensor is unallocated. Try calling allocate_tensors() first"
            )
        place = self._array(index, subgraph)
        check_value(data, place, tensor, index)
        place[...] = data

    def _tensor(self, index: int, subgraph: int = 0) -> Tensor:
        whole()("tensor_index", index)
        whole()("subgraph_index", subgraph)
        count = self.num_subgraphs()
        if not 0 <= subgraph < count:
            raise ValueError(
                f"Invalid subgraph index {subgraph} exceeds max subgraph index {count}"
            )
        tensors = self._model.subgraphs[subgraph].tensors
        if not 0 <= index < len(tensors):  # LiteRT's "max" is the number of tensors
            raise ValueError(
                f"Invalid tensor index {index} exceeds max tensor index {len(tensors)}"
            )
        return tensors[index]

    def _array(self, index: int, subgraph: int = 0) -> Array:
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


@contextmanager
def _as_runtime_error() -> Iterator[None]:
    """Raise what LiteRT's scripts catch."""
    try:
        yield
    except (AreniteError, MemoryError) as error:
        if isinstance(error, RuntimeError):
            raise
        raise RuntimeError(str(error)) from error

"""Small ONNX models, built with the ``onnx`` package, for MNN's converter."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from arenite.model import Array

Node = tuple[str, Sequence[str], Sequence[str], Mapping[str, Any]]


def node(
    kind: str, inputs: Sequence[str] | str, outputs: Sequence[str] | str = "y", **attributes: Any
) -> Node:
    """A node; several names are separated by blanks, and arrays become tensors."""
    return kind, _names(inputs), _names(outputs), attributes


def _names(text: Sequence[str] | str) -> Sequence[str]:
    return text.split(" ") if isinstance(text, str) else text


def onnx_model(
    nodes: Sequence[Node],
    inputs: Mapping[str, Sequence[int] | Array],
    constants: Mapping[str, Any] | None = None,
    outputs: str = "y",
    opset: int = 13,
) -> bytes:
    """A model as the bytes of an ``.onnx`` file.

    ``inputs`` gives a float input's shape, or an array of the input's shape and type.
    """
    onnx = pytest.importorskip("onnx")
    helper, numpy_helper = onnx.helper, onnx.numpy_helper

    def described(name: str, like: Sequence[int] | Array) -> Any:
        dtype = like.dtype if isinstance(like, np.ndarray) else np.dtype(np.float32)
        shape = like.shape if isinstance(like, np.ndarray) else list(like)
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)

    def written(attributes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
            for name, value in attributes.items()
        }

    graph = helper.make_graph(
        [
            helper.make_node(kind, list(ins), list(outs), **written(attributes))
            for kind, ins, outs, attributes in nodes
        ],
        "test",
        [described(name, like) for name, like in inputs.items()],
        [
            helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
            for name in outputs.split(" ")
        ],
        [
            numpy_helper.from_array(np.asarray(value), name)
            for name, value in (constants or {}).items()
        ],
    )
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()

"""Facts about a model as plain data, for ``--json``: keys are stable and documented."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from arenite.analysis.ethos_u import npu_facts
from arenite.analysis.refusal import refusal, remedy
from arenite.analysis.resolver_code import resolver
from arenite.analysis.statistics import OperatorStatistics, statistics
from arenite.model import Model, Operator, Subgraph, Tensor
from arenite.model.offline_plan import OFFLINE_METADATA, origin_in
from arenite.ops.kernel_util import Activation, Padding

_ENUMS = {"padding": Padding, "fused_activation_function": Activation}


def model_facts(model: Model) -> dict[str, Any]:
    """Everything that ``arenite info`` prints; see ``docs/cli.md`` for the keys."""
    stats = statistics(model)
    cpp = resolver(model)
    per_operator = iter(stats.operators)
    return {
        "file": model.source,
        "description": model.description,
        "file_bytes": stats.file_bytes,
        "parameters": stats.parameters,
        "constant_bytes": stats.constant_bytes,
        "macs": stats.macs,
        "macs_complete": stats.macs_complete,
        "inputs": [tensor_facts(t) for t in model.inputs],
        "outputs": [tensor_facts(t) for t in model.outputs],
        "subgraphs": [
            {
                "name": subgraph.name,
                "operators": [
                    _operator_facts(subgraph, op, next(per_operator)) for op in subgraph.operators
                ],
            }
            for subgraph in model.subgraphs
        ],
        "plan": _plan_facts(model),
        "npu": npu_facts(model),
        "metadata": {name: len(data) for name, data in model.metadata.items()},
        "resolver": {
            "operators": cpp.operators,
            "lines": list(cpp.lines),
            "missing": list(cpp.missing),
            "refused": refusal(model),
            "remedy": remedy(model),
        },
    }


def _plan_facts(model: Model) -> dict[str, Any] | None:
    """The memory plan that the file brings, and for whose kernels; None where it brings none."""
    if OFFLINE_METADATA not in model.metadata:
        return None
    origin = origin_in(model.metadata)
    return {"made_for": None if origin is None else origin._asdict()}


def tensor_facts(tensor: Tensor) -> dict[str, Any]:
    """Name, type, shape, bytes and quantisation of a tensor."""
    quantization = tensor.quantization
    scales = None
    if quantization is not None and len(quantization.scale):
        scales = {
            "scale": [float(s) for s in quantization.scale],
            "zero_point": [int(z) for z in quantization.zero_point],
            "axis": quantization.quantized_dimension if quantization.is_per_channel else None,
        }
    return {
        "name": tensor.name,
        "type": str(tensor.type),
        "shape": list(tensor.shape),
        "bytes": tensor.nbytes,
        "quantization": scales,
    }


def _operator_facts(
    subgraph: Subgraph, operator: Operator, stats: OperatorStatistics
) -> dict[str, Any]:
    def side(indices: tuple[int, ...]) -> list[dict[str, Any] | None]:
        return [_reference(subgraph, index) if index >= 0 else None for index in indices]

    return {
        "index": stats.index,
        "name": operator.name,
        "custom": operator.is_custom,
        "version": operator.version,
        "inputs": side(operator.inputs),
        "outputs": side(operator.outputs),
        "options": options(operator),
        "parameters": stats.parameters,
        "constant_bytes": stats.constant_bytes,
        "macs": stats.macs,
    }


def _reference(subgraph: Subgraph, index: int) -> dict[str, Any]:
    tensor = subgraph.tensors[index]
    return {
        "tensor": index,
        "name": tensor.name,
        "type": str(tensor.type),
        "shape": list(tensor.shape),
        "constant": tensor.is_constant,
    }


def options(operator: Operator) -> dict[str, Any]:
    """An operator's options by name; padding and activation as their names in the schema."""
    row = operator.options
    if row is None:
        return {}
    return {f.name: _named(f.name, getattr(row, f.name)) for f in fields(row)}


def _named(name: str, value: Any) -> Any:
    enum = _ENUMS.get(name)
    if enum is not None and value in enum._value2member_map_:
        return enum(value).name
    return list(value) if isinstance(value, tuple) else value

"""int64 as int32: TFLM's kernels count in 32 bits, converters in 64."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from arenite.model import Model, Operator, Subgraph, Tensor, TensorType
from arenite.model.model import constant_bytes
from arenite.optimize.outcome import Note, Outcome

INT32, INT64 = TensorType.INT32, TensorType.INT64
_LIMITS = np.iinfo(np.int32)


def narrowed(model: Model) -> Outcome:
    """All integers of 64 bits as such of 32; the model itself where that cannot be.

    Biases stay, which have a scale. Bits are equal unless the model's inputs or outputs are int64,
    whose type changes: then values from 2**31 on differ.
    """
    used = [t for graph in model.subgraphs for t in graph.tensors if _is_wide(t)]
    if not used:
        return Outcome(model)
    large = [one.name for one in used if one.value is not None and not _fits(one.value)]
    if large:
        return Outcome(model, declined=(Note(large[0], "int64 stays: its values need 64 bits"),))
    for number, graph in enumerate(model.subgraphs):
        for position, one in enumerate(graph.operators):
            wide = any(_is_wide(graph.tensors[i]) for i in (*one.inputs, *one.outputs) if i >= 0)
            if one.is_custom and wide:
                where = f"$.subgraphs[{number}].operators[{position}]"
                return Outcome(model, declined=(Note(where, f"{one.name} takes int64: it stays"),))
    main = model.main
    ports = [
        main.tensors[i].name
        for i in dict.fromkeys((*main.inputs, *main.outputs))
        if _is_wide(main.tensors[i])
    ]
    notes = [Note(name, "is int32 now: TFLM's kernels write no int64") for name in ports]
    if inside := len(used) - len(ports):
        notes.append(Note("$", f"{inside} tensors of int64 inside are int32 now"))
    result = replace(model, subgraphs=tuple(map(_subgraph, model.subgraphs)))
    return Outcome(result, tuple(notes), is_exact=not ports)


def _is_wide(tensor: Tensor) -> bool:
    q = tensor.quantization
    return tensor.type is INT64 and (q is None or not len(q.scale))


def _fits(value: np.ndarray) -> bool:
    return bool(((value >= _LIMITS.min) & (value <= _LIMITS.max)).all())


def _subgraph(graph: Subgraph) -> Subgraph:
    wide = {index for index, tensor in enumerate(graph.tensors) if _is_wide(tensor)}
    tensors = tuple(
        _narrow(tensor) if index in wide else tensor for index, tensor in enumerate(graph.tensors)
    )
    operators = tuple(
        _said(one) if wide.intersection((*one.inputs, *one.outputs)) else one
        for one in graph.operators
    )
    return replace(graph, tensors=tensors, operators=operators)


def _narrow(tensor: Tensor) -> Tensor:
    value = tensor.value
    if value is None:
        return replace(tensor, type=INT32)
    return replace(tensor, type=INT32, data=constant_bytes(value.astype(np.int32)), buffer=0)


def _said(operator: Operator) -> Operator:
    """Options that name a type, which LiteRT reads: that of what is found, of a shape, of CAST."""
    options = operator.options
    if options is None:
        return operator
    said = {
        one.name: int(INT32)
        for one in fields(options)
        if one.name.endswith(("output_type", "out_type", "data_type"))
        and getattr(options, one.name) == INT64
    }
    return replace(operator, options=replace(options, **said)) if said else operator

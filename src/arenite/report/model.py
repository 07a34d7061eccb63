"""A model as a person reads it in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from rich.text import Text

from arenite.analysis.facts import options
from arenite.analysis.refusal import refused_with, remedies
from arenite.analysis.resolver_code import resolver
from arenite.analysis.statistics import (
    ModelStatistics,
    OperatorStatistics,
    is_parameter,
    statistics,
)
from arenite.errors import RefusedError
from arenite.model import Model, Operator, Subgraph, Tensor
from arenite.model.model import tensor_text
from arenite.model.offline_plan import plan_text
from arenite.model.text import printable
from arenite.report.ethos_u import render_npu
from arenite.report.text import Column, name_text, number, size, table, wrapped

#: Operators of a subgraph that are listed one by one, unless all are asked for.
MOST_LISTED = 100


def render_model(model: Model, width: int, most: int = MOST_LISTED) -> Iterator[Text]:
    """Verdict, inputs, outputs, operators, sizes, the firmware's resolver, ``width`` cells wide.

    A subgraph of more than ``most`` operators has a row for each kind of them.
    """
    stats = statistics(model)
    yield Text(printable(model.source or "(built)"), style="bold")
    yield Text()
    yield from _verdict(model, width)
    yield from ports_table(model, width)
    for index, subgraph in enumerate(model.subgraphs):
        yield Text()
        if len(model.subgraphs) > 1:
            yield Text(f"Subgraph {index} {printable(subgraph.name)}".rstrip(), style="bold")
        rows = [op for op in stats.operators if op.subgraph == index]
        if len(rows) > most:
            yield from _kinds_table(rows, width)
            continue
        yield from _operators_table(subgraph, rows, width)
    yield Text()
    yield from _sizes(model, stats)
    yield Text()
    npu = list(render_npu(model, width))
    yield from [*npu, Text()] if npu else []
    yield from _resolver(model, width)


def ports_table(model: Model, width: int) -> list[Text]:
    """One line per input and output: name, type, shape, quantisation, bytes."""
    headings, rows = ports_rows(model)
    looks: dict[str, dict[str, Any]] = {
        "": {"style": "cyan"},
        "scale": {"justify": "right", "keep": 1},
        "zero point": {"justify": "right", "keep": 1},
        "real values": {"keep": 3},
        "bytes": {"justify": "right", "keep": 2},
        "name": {"shrink": 12},
    }
    columns = [
        Column(heading, [row[place] for row in rows], **looks.get(heading, {}))
        for place, heading in enumerate(headings)
    ]
    return table(columns, width)


def ports_rows(model: Model) -> tuple[list[str], list[list[str]]]:
    """Headings, and a row per input and output; columns that say nothing are left out."""
    ports = [("in", t) for t in model.inputs] + [("out", t) for t in model.outputs]
    tensors = [tensor for _, tensor in ports]
    columns = {
        "": [side for side, _ in ports],
        "tensor": [tensor_text(t) for t in tensors],
        "scale": [_scale(t) for t in tensors],
        "zero point": [_zero_point(t) for t in tensors],
        "real values": [_real_values(t) for t in tensors],
        "bytes": [number(t.nbytes) for t in tensors],
        "name": [name_text(t.name) for t in tensors],
    }
    said = {heading: cells for heading, cells in columns.items() if set(cells) != {"-"}}
    return list(said), [list(row) for row in zip(*said.values(), strict=True)]


def _scale(tensor: Tensor) -> str:
    quantization = tensor.quantization
    if quantization is None or not len(quantization.scale):
        return "-"
    if quantization.is_per_channel:
        return f"{len(quantization.scale)} scales"
    return f"{quantization.scale[0]:.6g}"


def _zero_point(tensor: Tensor) -> str:
    quantization = tensor.quantization
    if quantization is None or len(quantization.zero_point) != 1:
        return "-"
    return str(quantization.zero_point[0])


def _real_values(tensor: Tensor) -> str:
    """The real numbers that the type's extremes stand for."""
    quantization, dtype = tensor.quantization, tensor.type.dtype
    if quantization is None or len(quantization.scale) != 1 or dtype.kind not in "iu":
        return "-"
    limits, scale = np.iinfo(dtype), float(quantization.scale[0])
    zero_point = int(quantization.zero_point[0]) if len(quantization.zero_point) else 0
    low, high = ((int(q) - zero_point) * scale for q in (limits.min, limits.max))
    return f"{low:.4g} .. {high:.4g}"


# -- operators ------------------------------------------------------------------------


def _operators_table(subgraph: Subgraph, stats: list[OperatorStatistics], width: int) -> list[Text]:
    operators = subgraph.operators
    macs = [number(s.macs) if s.macs is not None else "?" for s in stats]
    columns = [
        Column("#", [str(s.index) for s in stats], "right"),
        Column("operator", [printable(s.name) for s in stats], shrink=20),
        Column("input", [_tensors(subgraph, op.inputs) for op in operators], keep=2),
        Column("weights", [_weights(subgraph, op) for op in operators], keep=3),
        Column("output", [_tensors(subgraph, op.outputs) for op in operators], shrink=16),
        Column("options", [options_text(op) for op in operators], keep=4),
        Column("parameters", [number(s.parameters) for s in stats], "right", keep=1),
        Column("MACs", macs, "right"),
    ]
    return table(columns, width)


def _kinds_table(stats: list[OperatorStatistics], width: int) -> Iterator[Text]:
    """A row per kind of operators: their number and the sums of their costs."""
    kinds: dict[str, list[OperatorStatistics]] = {}
    for one in stats:
        kinds.setdefault(one.name, []).append(one)
    macs = [[one.macs for one in of] for of in kinds.values()]
    columns = [
        Column("operator", [printable(name) for name in kinds], shrink=20),
        Column("how many", [number(len(of)) for of in kinds.values()], "right"),
        Column(
            "parameters",
            [number(sum(one.parameters for one in of)) for of in kinds.values()],
            "right",
            keep=1,
        ),
        Column(
            "MACs",
            ["?" if None in of else number(sum(one or 0 for one in of)) for of in macs],
            "right",
        ),
    ]
    yield from table(columns, width)
    text = f"{number(len(stats))} operators, by kind; arenite info MODEL --all lists each."
    yield from wrapped(text, width)


def operator_rows(
    subgraph: Subgraph, stats: list[OperatorStatistics]
) -> tuple[list[str], list[list[str]]]:
    """Headings, and a row per operator: what flows out of it, its options, its costs."""
    rows = [
        [
            str(one.index),
            one.name,
            _tensors(subgraph, operator.outputs),
            options_text(operator),
            number(one.parameters),
            "?" if one.macs is None else number(one.macs),
        ]
        for operator, one in zip(subgraph.operators, stats, strict=True)
    ]
    return ["#", "operator", "output", "options", "parameters", "MACs"], rows


def _tensors(subgraph: Subgraph, indices: tuple[int, ...]) -> str:
    """Tensors that flow, which are not constants; equal ones are counted."""
    texts = [
        tensor_text(subgraph.tensors[i])
        for i in indices
        if i >= 0 and not subgraph.tensors[i].is_constant
    ]
    distinct = dict.fromkeys(texts)
    return " ".join(f"{texts.count(t)}x {t}" if texts.count(t) > 1 else t for t in distinct)


def _weights(subgraph: Subgraph, operator: Operator) -> str:
    """The largest trained constant."""
    constants = [subgraph.tensors[i] for i in operator.inputs if i >= 0]
    constants = [tensor for tensor in constants if is_parameter(tensor)]
    return tensor_text(max(constants, key=lambda t: t.nbytes)) if constants else ""


def options_text(operator: Operator) -> str:
    """An operator's options in few words: ``same, stride 2x1, relu6``; defaults are left out."""
    values = options(operator)
    words = []
    for name, value in values.items():
        if name in _PAIRS:
            words += _pair(name, values)
        elif name in ("padding", "fused_activation_function") and isinstance(value, str):
            words += [value.lower()] if value != "NONE" else []
        elif name not in _SECONDS and value not in (_USUAL.get(name), 0, []):
            words.append(_word(name, value))
    return ", ".join(words)


def _word(name: str, value: Any) -> str:
    if value is True:
        return name
    return f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"


# Options that say one thing together: shown once, as height x width.
_PAIRS = {
    "stride_w": ("stride", "stride_h"),
    "filter_width": ("filter", "filter_height"),
    "dilation_w_factor": ("dilation", "dilation_h_factor"),
}
_SECONDS = frozenset(second for _, second in _PAIRS.values())
_USUAL = {"beta": 1.0, "depth_multiplier": 1}


def _pair(name: str, values: dict[str, Any]) -> list[str]:
    word, second = _PAIRS[name]
    height, width = values.get(second, 1), values[name]
    return [] if height == width == 1 else [f"{word} {height}x{width}"]


# -- sizes and resolver ---------------------------------------------------------------


def _sizes(model: Model, stats: ModelStatistics) -> Iterator[Text]:
    unknown = sum(op.macs is None for op in stats.operators)
    macs = number(stats.macs)
    if unknown:
        macs += f", not counted: {unknown} of {len(stats.operators)} operators"
    facts = [
        ("description", printable(model.description) or "none"),
        ("parameters", number(stats.parameters)),
        ("MACs", macs),
        ("file", size(stats.file_bytes)),
        ("constants", size(stats.constant_bytes)),
    ]
    plan = plan_text(model.metadata)
    facts += [("memory plan", plan)] if plan else []
    facts += [(printable(name), _metadata(data)) for name, data in model.metadata.items()]
    width = max(len(name) for name, _ in facts)
    for name, value in facts:
        yield Text.assemble((f"{name:{width}s}  ", "bold"), value)


def _metadata(data: bytes) -> str:
    """Short text as it is (versions, say), else the size."""
    text = data.rstrip(b"\0").decode("ascii", "replace")
    return f"metadata, {text if 0 < len(text) < 40 and text.isprintable() else size(len(data))}"


def _resolver(model: Model, width: int) -> Iterator[Text]:
    cpp = resolver(model)
    yield Text("Firmware (C++)", style="bold")
    for line in cpp.lines:
        yield Text(f"  {line}", overflow="fold", no_wrap=True)
    for sentence in obstacles(model):
        for part in wrapped(sentence, width - 5):
            yield Text(f"  // {part.plain}", style="yellow")


def _verdict(model: Model, width: int) -> Iterator[Text]:
    """Whether TFLM runs the model, where it does not: before all else."""
    found = obstacles(model)
    if found:
        yield from wrapped(" ".join(found), width, style="yellow")
        yield Text()


def obstacles(model: Model) -> list[str]:
    """Sentences on what keeps TFLM from running a model, and what to type; none where it runs."""
    cpp, refused = resolver(model), refused_with(model)
    found = []
    if cpp.missing:
        names = ", ".join(map(printable, cpp.missing))
        found.append(f"TensorFlow Lite Micro does not have: {names}.")
    if refused is not None:
        error = refused if isinstance(refused, RefusedError) else RefusedError(str(refused))
        found.append(f"TensorFlow Lite Micro {error.fate}: {printable(error.message)}")
    helps = remedies(model) if found else ""
    return [*found, helps] if helps else found

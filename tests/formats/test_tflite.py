"""Models survive ``write`` and ``read``; a file that makes no sense is refused with its place."""

import sys
import tracemalloc
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from arenite.errors import ModelError
from arenite.formats import flatbuffer, tflite
from arenite.formats.flatbuffer import Field, Row, Union
from arenite.formats.tflite_schema import SCHEMA
from arenite.model import Model, OptionsTable, TensorType
from arenite.ops.tflite.conv_2d import Conv2DOptions
from tests.formats.models import models, small
from tests.same import assert_same, differences
from tests.shared import DIGITS

CONV_2D, CUSTOM, PLACEHOLDER, GELU = 3, 32, 127, 150
GELU_OPTIONS = 122


@settings(
    max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(model=models())
def test_what_was_written_reads_the_same(model: Model) -> None:
    data = tflite.write(model)
    assert_same(tflite.read(data), model)
    assert tflite.write(tflite.read(data)) == data


def test_the_comparison_sees_a_difference() -> None:
    model = small()
    other = replace(model, subgraphs=(replace(model.main, name="other"),))
    assert list(differences(model, other)) == ["$.subgraphs[0].name: 'main' != 'other'"]


# -- reading ----------------------------------------------------------------------------


def test_constants_are_read_only_views_on_the_file() -> None:
    data = bytearray(tflite.write(small()))
    value = tflite.read(data).main.tensors[1].value
    assert value is not None
    assert not value.flags.writeable
    assert np.shares_memory(value, np.frombuffer(data, np.uint8))


def test_a_file_at_an_odd_address_reads_the_same() -> None:
    data = tflite.write(small())
    model = tflite.read(memoryview(b"\0" + data)[1:])
    assert_same(model, tflite.read(data))
    value = model.main.tensors[1].value
    assert value is not None
    assert value.flags.aligned
    assert not value.flags.writeable


@pytest.mark.parametrize("wrap", [bytearray, memoryview, lambda d: np.frombuffer(d, np.uint8)])
def test_any_buffer_can_be_read(wrap: Any) -> None:
    data = tflite.write(small())
    assert_same(tflite.read(wrap(data)), tflite.read(data))


def test_source_and_size_of_the_file() -> None:
    data = tflite.write(small())
    model = tflite.read(data, source="small.tflite")
    assert (model.source, model.nbytes) == ("small.tflite", len(data))


def file_with(**model: Any) -> bytes:
    """A file with one tensor and whatever else ``model`` says, by the schema's names."""
    row: Row = {
        "version": 3,
        "operator_codes": [{"builtin_code": CONV_2D}],
        "subgraphs": [{"tensors": [{}], "operators": [{}]}],
        "buffers": [{}],
    }
    return flatbuffer.write(SCHEMA, {**row, **model})


def with_tensor(**tensor: Any) -> bytes:
    return file_with(subgraphs=[{"tensors": [tensor]}])


def with_operator(**operator: Any) -> bytes:
    return file_with(subgraphs=[{"tensors": [{}], "operators": [operator]}])


def name_of(**code: Any) -> str:
    operator = tflite.read(file_with(operator_codes=[code])).main.operators[0]
    return f"{'custom ' if operator.is_custom else ''}{operator.name} v{operator.version}"


def test_operator_codes_of_old_and_new_files() -> None:
    assert name_of(deprecated_builtin_code=CONV_2D) == "CONV_2D v1"
    assert name_of(deprecated_builtin_code=CONV_2D, builtin_code=CONV_2D, version=5) == "CONV_2D v5"
    assert name_of(deprecated_builtin_code=PLACEHOLDER, builtin_code=GELU) == "GELU v1"
    assert name_of(deprecated_builtin_code=CUSTOM, custom_code="Mfcc") == "custom Mfcc v1"


def test_data_stored_behind_the_flatbuffer() -> None:
    def build(offset: int) -> bytes:
        buffers = [{}, {"offset": offset, "size": 8}]
        tensor = {"shape": [2], "type": int(TensorType.INT32), "buffer": 1}
        return file_with(subgraphs=[{"tensors": [tensor]}], buffers=buffers)

    size = len(build(1 << 20))
    data = build(size) + np.array([5, -6], "<i4").tobytes()
    value = tflite.read(data).main.tensors[0].value
    assert value is not None
    assert value.tolist() == [5, -6]
    with pytest.raises(ModelError) as caught:
        tflite.read(data[:-1])
    assert caught.value.path == "$.buffers[1]"
    assert "got 8 bytes at" in caught.value.message


def test_custom_options_stored_behind_the_flatbuffer() -> None:
    def build(offset: int) -> bytes:
        place = {"large_custom_options_offset": offset, "large_custom_options_size": 3}
        code = {"builtin_code": CUSTOM, "custom_code": "Mine"}
        return file_with(operator_codes=[code], subgraphs=[{"tensors": [{}], "operators": [place]}])

    data = build(len(build(1 << 20))) + b"abc"
    assert tflite.read(data).main.operators[0].custom_options == b"abc"
    with pytest.raises(ModelError, match="large_custom_options_offset"):
        tflite.read(data[:-1])


def test_a_quantisation_table_that_says_nothing_is_none() -> None:
    assert tflite.read(with_tensor(quantization={})).main.tensors[0].quantization is None


def test_options_are_read_through_the_operators_row() -> None:
    options = tflite.read(with_operator(builtin_options=conv_options(1))).main.operators[0].options
    assert options == Conv2DOptions(stride_w=2)


def test_what_is_made_in_c_has_the_attributes_of_what_python_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = DIGITS.read_bytes()
    found = tflite.read(data)
    monkeypatch.setattr(tflite._ModelReader, "_made", lambda *_: [])
    expected = tflite.read(data)
    for mine, other in zip(found.main.operators, expected.main.operators, strict=True):
        assert vars(mine).keys() == vars(other).keys()
        assert vars(mine.options) == vars(other.options)
    for mine, other in zip(found.main.tensors, expected.main.tensors, strict=True):
        assert vars(mine).keys() == vars(other).keys()


def test_options_of_another_type_than_the_operators_are_left_out() -> None:
    operator = tflite.read(with_operator(builtin_options=conv_options(5))).main.operators[0]
    assert operator.options is None
    assert operator.options_type == 5


def conv_options(union_type: int) -> Union:
    return Union(union_type, {"stride_w": 2}, (Field("stride_w", 1, "int32", 0),))


def gelu(**options: bool) -> bytes:
    """An operator that Arenite does not have, with options that it does not know."""
    fields = (Field("approximate", 0, "bool", False),)
    return file_with(
        operator_codes=[{"builtin_code": GELU}],
        subgraphs=[
            {
                "tensors": [{}],
                "operators": [{"builtin_options": Union(GELU_OPTIONS, options, fields)}],
            }
        ],
    )


def test_unknown_options_can_be_read_and_not_written() -> None:
    model = tflite.read(gelu(approximate=True))
    assert model.main.operators[0].options is None
    assert model.main.operators[0].options_type == GELU_OPTIONS
    with pytest.raises(ModelError, match="are not known to Arenite and would be lost") as caught:
        tflite.write(model)
    assert caught.value.path == "$.subgraphs[0].operators[0].builtin_options"


def test_unknown_options_without_fields_survive() -> None:
    model = tflite.read(gelu())
    assert model.main.operators[0].options == OptionsTable()
    assert_same(tflite.read(tflite.write(model)), model)


def test_a_second_options_union_is_kept_in_mind() -> None:
    model = tflite.read(with_operator(builtin_options_2=Union(4, {}, ())))
    (operator,) = model.main.operators
    assert operator.options_2_type == 4
    assert operator.raw_options is not None
    assert operator.raw_options.union_type == 4
    assert operator.raw_options.path == "$.subgraphs[0].operators[0].builtin_options_2"
    assert_same(tflite.read(tflite.write(model)), model)
    model = Model((replace(model.main, operators=(replace(operator, options=None),)),))
    with pytest.raises(ModelError, match="union type 4"):
        tflite.write(model)


# Each: a file that FlatBuffers has no objection to, path of the error, its message.
REFUSED = {
    "version": (file_with(version=2), "$.version", "expected schema version 3, got 2"),
    "no subgraph": (
        file_with(subgraphs=[]),
        "$.subgraphs",
        "expected at least one subgraph, got none",
    ),
    "operator code": (
        file_with(operator_codes=[{"builtin_code": 210}]),
        "$.operator_codes[0]",
        "expected an operator code from 0 to 209, got 210",
    ),
    "negative operator code": (
        file_with(operator_codes=[{"builtin_code": -1, "deprecated_builtin_code": -1}]),
        "$.operator_codes[0]",
        "expected an operator code from 0 to 209, got -1",
    ),
    "nameless custom operator": (
        file_with(operator_codes=[{"builtin_code": CUSTOM}]),
        "$.operator_codes[0].custom_code",
        "a custom operator needs a name",
    ),
    "operator code index": (
        with_operator(opcode_index=1),
        "$.subgraphs[0].operators[0].opcode_index",
        "expected an operator code from 0 to 0, got 1",
    ),
    "tensor index": (
        with_operator(inputs=[-1, 1]),
        "$.subgraphs[0].operators[0].inputs[1]",
        "expected a tensor index from -1 to 0, got 1",
    ),
    "tensor type": (
        with_tensor(type=23),
        "$.subgraphs[0].tensors[0].type",
        "expected a tensor type from 0 to 22, got 23",
    ),
    "buffer index": (
        with_tensor(buffer=1),
        "$.subgraphs[0].tensors[0].buffer",
        "expected a buffer from 0 to 0, got 1",
    ),
    "metadata's buffer index": (
        file_with(metadata=[{"name": "m", "buffer": 7}]),
        "$.metadata[0].buffer",
        "expected a buffer from 0 to 0, got 7",
    ),
    "TFLM's older compression": (
        file_with(metadata=[{"name": "COMPRESSION_METADATA", "buffer": 0}]),
        "$.metadata[0]",
        "the weights are compressed as older builds of TFLM have it (COMPRESSION_METADATA), which "
        "are built with USE_TFLM_COMPRESSION; load the model from before, or compress it for "
        "TFLM_DECODE",
    ),
    "sparsity": (
        with_tensor(sparsity={}),
        "$.subgraphs[0].tensors[0].sparsity",
        "the tensor is sparse, which TFLM does not run; convert the model without sparsity "
        "(or densify its weights) first",
    ),
    "external buffer": (
        with_tensor(external_buffer=1),
        "$.subgraphs[0].tensors[0].external_buffer",
        "the tensor's data are in another file; put the weights into the model",
    ),
    "variant": (
        with_tensor(variant_tensors=[{}]),
        "$.subgraphs[0].tensors[0].variant_tensors",
        "the tensor is a variant with nested types, which TFLM does not run",
    ),
    "blockwise quantisation": (
        with_tensor(quantization={"details": Union(2, {}, ())}),
        "$.subgraphs[0].tensors[0].quantization.details",
        "the tensor has custom or blockwise quantisation, which TFLM does not run; quantise "
        "the model per tensor or per channel",
    ),
    "scale": (
        with_tensor(quantization={"scale": [-1.0], "zero_point": [0]}),
        "$.subgraphs[0].tensors[0].quantization.scale",
        "expected finite scales of 0 or more, got [-1.]",
    ),
    "signature": (
        file_with(signature_defs=[{"inputs": [{"name": "x", "tensor_index": 3}]}]),
        "$.signature_defs[0].inputs[0]",
        "expected a tensor index from 0 to 0, got 3",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_path_and_place(name: str) -> None:
    data, path, message = REFUSED[name]
    with pytest.raises(ModelError) as caught:
        tflite.read(data)
    assert (caught.value.path, caught.value.message) == (path, message)
    assert caught.value.offset == flatbuffer.locate(SCHEMA, memoryview(data), path)


def test_the_place_is_where_the_file_has_the_value() -> None:
    data = with_tensor(type=23)
    with pytest.raises(ModelError) as caught:
        tflite.read(data)
    assert caught.value.offset is not None
    assert data[caught.value.offset] == 23


LARGE = 100_000


def sharing(part: str) -> bytes:
    """Many tables that all use the same large buffer, shape or custom options."""
    entries: dict[str, Row] = {
        "metadata": {"buffer": 1},
        "tensors": {"shape": [LARGE], "type": int(TensorType.INT8), "buffer": 1},
        "operators": {"large_custom_options_offset": 8, "large_custom_options_size": LARGE},
    }
    many = {part: [entries[part]] * 2000}
    metadata = many.pop("metadata", None)
    buffers = [{}, {"data": bytes(LARGE)}]
    codes = [{"builtin_code": CUSTOM, "custom_code": "Mine"}]
    return file_with(operator_codes=codes, subgraphs=[many], buffers=buffers, metadata=metadata)


@pytest.mark.parametrize(
    ("part", "message"), [("metadata", ""), ("tensors", ""), ("operators", "3 times over")]
)
def test_shared_data_do_not_multiply_memory(part: str, message: str) -> None:
    data = sharing(part)
    tracemalloc.start()
    try:
        with pytest.raises(ModelError, match=message) if message else nullcontext():
            tflite.read(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The views and rows of 2000 tables; not 2000 times the large ones' bytes.
    assert peak < 2000 * LARGE / 20


def test_many_tables_in_few_bytes_take_a_bounded_multiple_of_memory() -> None:
    data = bytearray(file_with(subgraphs=[{"tensors": [{}] * 4000}]))
    # Let all offsets point to the last tensor, and cut nothing: the cheapest tables there are.
    start = flatbuffer.locate(SCHEMA, memoryview(data), "$.subgraphs[0].tensors") + 4
    places = start + 4 * np.arange(4000)
    last = flatbuffer.locate(SCHEMA, memoryview(data), "$.subgraphs[0].tensors[3999]")
    assert last > 0
    data[start : start + 16000] = (last - places).astype("<u4").tobytes()
    tracemalloc.start()
    try:
        tflite.read(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # An object of Python 3.10 has a dict of its own from the start.
    assert peak < (100 if sys.version_info >= (3, 11) else 110) * len(data)

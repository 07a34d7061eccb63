"""What ``tflite.write`` puts into a file, beyond that it reads back."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from arenite.errors import ModelError
from arenite.formats import flatbuffer, tflite
from arenite.formats.tflite_schema import SCHEMA
from arenite.model import Model, ModelBuilder, SignatureDef
from tests.formats.models import small


def test_the_model_is_checked_before_it_is_written() -> None:
    model = small()
    bad = replace(model, subgraphs=(replace(model.main, outputs=(9,)),))
    with pytest.raises(ModelError, match="expected a tensor index from 0 to 2, got 9"):
        tflite.write(bad)


def test_constants_are_aligned_to_16_bytes_in_the_file() -> None:
    data = tflite.write(small())
    assert (flatbuffer.locate(SCHEMA, memoryview(data), "$.buffers[2].data") + 4) % 16 == 0


def test_tensors_that_share_a_buffer_share_it_still() -> None:
    tensor = replace(small().main.tensors[1], buffer=1)
    graph = replace(
        small().main, tensors=(tensor, tensor, tensor), operators=(), inputs=(), outputs=()
    )
    data = tflite.write(Model(subgraphs=(graph,)))
    a, b, c = tflite.read(data).main.tensors
    assert a.buffer == b.buffer == c.buffer == 1
    assert a.data is not None
    assert b.data is not None
    assert np.shares_memory(a.data, b.data)


def test_two_subgraphs_whose_builders_gave_the_same_buffer_numbers_keep_their_own_data() -> None:
    model = Model(subgraphs=(small((1, 2, 3)).main, small((4, 5, 6)).main))
    back = tflite.read(tflite.write(model))
    values = [subgraph.tensors[1].value for subgraph in back.subgraphs]
    assert [value.tolist() for value in values if value is not None] == [[1, 2, 3], [4, 5, 6]]


def test_a_tensor_without_data_does_not_get_another_ones() -> None:
    graph = small().main
    tensors = (replace(graph.tensors[0], buffer=2), *graph.tensors[1:])
    back = tflite.read(tflite.write(Model(subgraphs=(replace(graph, tensors=tensors),))))
    assert graph.tensors[1].buffer == 2
    assert back.main.tensors[0].data is None


def test_metadata_and_signatures() -> None:
    b = ModelBuilder()
    x = b.input("x", (1,), "int8")
    b.output(x)
    model = b.build(
        "a description",
        metadata={"OfflineMemoryAllocation": b"\1\0\0\0", "empty": b""},
        signatures=[SignatureDef("serving_default", {"in": x}, {"out": x})],
    )
    back = tflite.read(tflite.write(model))
    assert back.metadata == {"OfflineMemoryAllocation": b"\1\0\0\0", "empty": b""}
    assert back.signatures[0].inputs == {"in": 0}
    assert back.description == "a description"


def test_operator_codes_are_shared_and_hold_for_old_readers() -> None:
    b = ModelBuilder()
    x = b.input("x", (1,), "int8")
    for name, custom in (("RELU", None), ("GELU", None), ("Mine", b""), ("RELU", None)):
        b.operator(name, [x], [b.tensor("", (1,), "int8")], custom_options=custom)
    row = flatbuffer.read(SCHEMA, memoryview(tflite.write(b.build())))
    codes = [
        (code["deprecated_builtin_code"], code["builtin_code"], code["custom_code"])
        for code in row["operator_codes"]
    ]
    assert codes == [(19, 19, None), (127, 150, None), (32, 32, "Mine")]


@pytest.mark.parametrize("dtype", [np.int8, np.float32])
def test_constants_are_copied_into_the_file_and_nowhere_else(dtype: type) -> None:
    values = np.zeros((2, 1 << 21), dtype)
    b = ModelBuilder()
    x = b.input("x", (1, 1 << 21), np.dtype(dtype).name)
    y = b.tensor("y", (1, 2), np.dtype(dtype).name)
    b.operator("FULLY_CONNECTED", [x, b.constant("w", values), -1], [y])
    b.output(y)
    model = b.build()
    tracemalloc.start()
    data = tflite.write(model)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # What it is built in, and the bytes that are returned.
    assert peak < 2 * len(data) + (1 << 20)

"""The file itself: what is recognised as MNN's, what is refused, and where it is wrong."""

from typing import Any

import numpy as np
import pytest

import arenite as ar
from arenite.formats import flatbuffer, tflite
from arenite.mnn.file.enums import Format
from arenite.mnn.lowering import models as formats_mnn
from arenite.mnn.lowering.models import SCHEMA, ForwardType, NetSource, OpType
from tests.fuzz.seeds import classifier
from tests.mnn.nets import add, chain_net, given, image_net, op, square_net, unary, write

X = [given("x", 0, [2])]


def refused(data: bytes) -> ar.ModelError:
    """The error of a file that is refused, which says where."""
    with pytest.raises(ar.ModelError) as caught:
        formats_mnn.read_net(data, source="a.mnn")
    return caught.value


# -- recognising ---------------------------------------------------------------------------------


@pytest.mark.parametrize("data", [chain_net(), image_net(), square_net([1, 4])])
def test_nets_look_like_nets(data: bytes) -> None:
    assert formats_mnn.looks_like_net(data)
    assert formats_mnn.looks_like_net(memoryview(data))
    assert ar.load(data).description == "MNN 3.6.1"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 7,
        b"\0" * 64,
        b"\xff" * 64,
        bytes(range(64)),
        b"\x04\0\0\0" * 16,
        b"PK\x03\x04" + b"\0" * 60,
        b"some text that is no model at all, but long enough",
    ],
)
def test_other_files_do_not(data: bytes) -> None:
    assert not formats_mnn.looks_like_net(data)


def test_no_prefix_of_a_net_is_loaded() -> None:
    data = chain_net().rstrip(b"\0")
    for size in range(len(data)):
        with pytest.raises(ar.ModelError):
            formats_mnn.read_net(data[:size])


def test_a_file_of_tensorflow_lite_is_read_as_what_it_is() -> None:
    assert ar.load(tflite.write(classifier())).description == "a small classifier"


def test_the_file_says_who_wrote_it() -> None:
    net = formats_mnn.read_net(square_net([2], bizCode="me", mnn_uuid="42"))
    assert (net.biz_code, net.uuid, net.version) == ("me", "42", "3.6.1")
    assert formats_mnn.read_net(square_net([2], extraInfo=None)).version == "<2.0.0"


# -- refusing ------------------------------------------------------------------------------------


def test_the_file_says_what_it_was_made_from_and_for() -> None:
    net = formats_mnn.read_net(
        square_net([1, 2], preferForwardType=2, sourceType=3, tensorNumber=9)
    )
    assert net.prefer_forward_type is ForwardType.OPENCL
    assert net.source_type is NetSource.ONNX
    assert net.tensor_number == 9


def test_a_source_that_the_schema_does_not_name_is_a_number() -> None:
    net = formats_mnn.read_net(square_net([1, 2], preferForwardType=77, sourceType=55))
    assert (net.prefer_forward_type, net.source_type) == (77, 55)


def test_no_operators() -> None:
    error = refused(flatbuffer.write(SCHEMA, {"tensorName": ["x"]}))
    assert "no operators (oplists)" in error.message


def test_no_tensor_names() -> None:
    assert "tensorName" in refused(write(X, tensorName=None)).message


def test_encrypted() -> None:
    buffer = np.array([1, 2, 3], np.int8)
    error = refused(write(X, extraInfo={"buffer": buffer, "version": "3.6.1"}))
    assert "encrypted" in error.message
    assert error.path == "$.extraInfo.buffer"
    assert error.offset is not None


def test_encrypted_as_a_whole() -> None:
    data = bytes(byte ^ 0x5A for byte in chain_net())
    assert "encrypted or damaged" in refused(data).message


@pytest.mark.parametrize("version", ["4.0.0", "10.2.3"])
def test_newer_than_the_schema(version: str) -> None:
    error = refused(write(X, extraInfo={"version": version}))
    assert f"made by MNN {version}" in error.message
    assert error.path == "$.extraInfo.version"


@pytest.mark.parametrize("version", ["1.1.0", "3.6.1", "3.9.0", "", "unknown"])
def test_other_versions_are_read(version: str) -> None:
    assert len(formats_mnn.read_net(write(X, extraInfo={"version": version})).ops) == 1


def replaced(rows: list[Any], place: int, **fields: Any) -> bytes:
    """A file with other fields in one operator's row."""
    return write([{**row, **fields} if i == place else row for i, row in enumerate(rows)])


CHAIN = [given("x", 0, [2]), given("z", 1, [2]), add("y", 0, 1, 2)]


@pytest.mark.parametrize("index", [-1, 3, 2**31 - 1, -(2**31)])
def test_tensors_that_do_not_exist(index: int) -> None:
    error = refused(replaced(CHAIN, 2, inputIndexes=np.array([0, index], np.int32)))
    assert f"expected a tensor index from 0 to 2, got {index}" in error.message
    assert error.path == "$.oplists[2].inputIndexes[1]"
    assert error.offset is not None


def test_an_operator_without_outputs() -> None:
    rows = [*CHAIN[:2], {**CHAIN[2], "outputIndexes": None}]
    data = flatbuffer.write(SCHEMA, {"oplists": rows, "tensorName": ["x", "z", "y"]})
    assert refused(data).path == "$.oplists[2]"


def test_a_format_that_does_not_exist() -> None:
    error = refused(replaced(CHAIN, 2, defaultDimentionFormat=9))
    assert "expected a data format from 0 to" in error.message


def test_the_description_of_a_tensor_that_does_not_exist() -> None:
    error = refused(write(X, extraTensorDescribe=[{"index": 7}]))
    assert error.path == "$.extraTensorDescribe[0].index"


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_a_scale_that_is_no_number(number: float) -> None:
    info = {"index": 0, "quantInfo": {"scale": number}}
    assert (
        refused(write(X, extraTensorDescribe=[info])).path == "$.extraTensorDescribe[0].quantInfo"
    )


@pytest.mark.parametrize(
    ("main", "message"),
    [
        ({"dtype": 7}, "data type 7"),
        ({"dformat": 5}, "format 5"),
        ({"dims": np.array([2, 0], np.int32)}, "is open"),
        ({"dims": np.full(12, 1, np.int32)}, "at most 9 dimensions"),
    ],
)
def test_inputs_that_make_no_sense(main: Any, message: str) -> None:
    row = {"dims": np.array([2], np.int32), "dtype": 1, "dformat": 1, **main}
    data = write([op("x", OpType.Input, [], [0], ("Input", row)), unary("y", 0, 1)])
    with pytest.raises(ar.ModelError, match=message) as caught:
        ar.load(data)
    assert caught.value.path.startswith("$.oplists[0]")


def test_an_input_without_parameters() -> None:
    with pytest.raises(ar.ModelError, match="expected parameters of type Input, got none"):
        ar.load(write([op("x", OpType.Input, [], [0]), unary("y", 0, 1)]))


# -- the schema ----------------------------------------------------------------------------------


def test_formats_count_as_in_the_schema() -> None:
    assert [Format.NCHW, Format.NHWC, Format.NC4HW4] == [0, 1, 2]

"""Tensors on the host: construction, layouts, copies."""

import mmap
import os

import numpy as np
import pytest

import arenite as ar
import arenite.mnn as MNN  # noqa: N812 - as scripts name it

TF = MNN.Tensor_DimensionType_Tensorflow
CAFFE = MNN.Tensor_DimensionType_Caffe
C4 = MNN.Tensor_DimensionType_Caffe_C4
FLOAT = MNN.Halide_Type_Float


def counted(*shape: int, dtype=np.float32) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=dtype).reshape(shape)


def tensor(values: np.ndarray, dimension: int = CAFFE) -> MNN.Tensor:
    return MNN.Tensor(values.shape, FLOAT, values, dimension)


# -- construction ------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 3), [2, 3], np.array([2, 3])])
def test_a_tensor_without_data_is_zero(shape):
    made = MNN.Tensor(shape, FLOAT, TF)
    assert made.getShape() == (2, 3)
    assert made.getNumpyData().tolist() == [[0, 0, 0], [0, 0, 0]]


def test_a_shape_may_be_one_number():
    assert MNN.Tensor(3, FLOAT, TF).getShape() == (3,)


@pytest.mark.parametrize(
    "data",
    [
        counted(2, 2),
        counted(4),
        counted(2, 2).T.copy().T,
        [0, 1, 2, 3],
        (0.0, 1.0, 2.0, 3.0),
        counted(4).tobytes(),
    ],
    ids=["array", "flat", "strided", "list", "tuple", "bytes"],
)
def test_data_may_be_an_array_a_sequence_or_bytes(data):
    assert MNN.Tensor((2, 2), FLOAT, data, TF).getNumpyData().tolist() == [[0, 1], [2, 3]]


def test_data_may_be_an_address_or_a_capsule():
    source = tensor(counted(2, 2))
    for given in (source.getNumpyData().ctypes.data, source.getHost()):
        assert MNN.Tensor((4,), FLOAT, given, TF).getData() == (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("type_", "dtype"),
    [
        (FLOAT, np.float32),
        (MNN.Halide_Type_Int, np.int32),
        (MNN.Halide_Type_Int64, np.int64),
        (MNN.Halide_Type_Uint8, np.uint8),
        (MNN.Halide_Type_Int8, np.int8),
    ],
)
def test_every_type_has_its_dtype(type_, dtype):
    made = MNN.Tensor((2,), type_, np.array([1, 2], dtype), TF)
    assert made.getDataType() is type_
    assert made.getNumpyData().dtype == dtype
    assert made.getData() == (1, 2)


def test_a_tensor_of_doubles_holds_floats_as_in_mnn():
    made = MNN.Tensor((2,), MNN.Halide_Type_Double, np.array([0.5, 1.5]), TF)
    assert made.getDataType() is FLOAT
    assert made.getData() == (0.5, 1.5)


def test_a_tensor_like_another_has_its_shape_in_the_other_order_and_zeros():
    source = tensor(counted(1, 2, 3, 4), TF)
    shapes = {kind: MNN.Tensor(source, kind).getShape() for kind in (TF, CAFFE, C4)}
    assert shapes == {TF: (1, 2, 3, 4), CAFFE: (1, 4, 2, 3), C4: (1, 4, 2, 3)}
    assert not any(MNN.Tensor(source, CAFFE).getData())


def test_an_empty_tensor_answers_none():
    empty = MNN.Tensor()
    answers = (empty.getShape(), empty.getDataType(), empty.getDimensionType(), empty.getData())
    assert answers == (None, None, None, None)
    assert empty.getNumpyData() is None
    assert empty.getHost() is None
    assert repr(empty) == "array([])"


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (((2, 2), FLOAT), TypeError, r"got Tensor\(tuple, HalideType\)"),
        (((2, 2), 5, TF), TypeError, r"got Tensor\(tuple, int, int\)"),
        (("ab", FLOAT, TF), TypeError, "expected a shape as a tuple of ints, got 'ab'"),
        (((2, 1.5), FLOAT, TF), TypeError, "float"),
        (((2, True), FLOAT, TF), TypeError, "expected a shape"),
        (((2, -1), FLOAT, TF), ar.ShapeError, r"dimensions of 0 or more, got \[2, -1\]"),
        (((1,) * 10, FLOAT, TF), ar.ShapeError, "at most 9 dimensions"),
        (((2**20, 2**20), FLOAT, TF), ar.ShapeError, "at most 2147483647 elements"),
        (((2, 2), FLOAT, 7), ValueError, "dimension type from 0 to 2, got 7"),
        (((2, 2), MNN.Halide_Type_String, TF), ar.DTypeError, "tensor of numbers"),
        (((2, 2), FLOAT, counted(5), TF), ar.ShapeError, "data of 4 elements, got 5"),
        (((2, 2), FLOAT, [1, 2, 3], TF), ar.ShapeError, "data of 4 elements, got 3"),
        (((2, 2), FLOAT, b"12345", TF), ar.ShapeError, "data of 16 bytes, got 5"),
        (((2,), FLOAT, counted(2, dtype=np.float64), TF), ar.DTypeError, "float32, got float64"),
        (((2,), FLOAT, ["a", "b"], TF), ar.DTypeError, "flat sequence of numbers"),
        (((2,), MNN.Halide_Type_Uint8, [1, 256], TF), ar.DTypeError, "numbers that uint8 holds"),
        (((2,), FLOAT, 0, TF), ValueError, "the address of 8 readable bytes, got 0x0"),
        (((2,), FLOAT, {}, TF), TypeError, "got dict"),
    ],
)
def test_wrong_arguments_are_explained(arguments, error, text):
    with pytest.raises(error, match=text):
        MNN.Tensor(*arguments)


# -- layouts -----------------------------------------------------------------------------


def test_caffe_c4_says_caffe_and_takes_whole_blocks_of_four_channels():
    packed = MNN.Tensor((1, 5, 1, 2), FLOAT, C4)
    assert packed.getDimensionType() == CAFFE
    assert packed.getShape() == (1, 5, 1, 2)
    assert len(packed.getData()) == 2 * 1 * 1 * 2 * 4


def test_caffe_c4_lies_in_memory_as_blocks_then_batch_then_places_then_four_channels():
    values = counted(2, 6, 1, 2)
    packed = MNN.Tensor((2, 6, 1, 2), FLOAT, C4)
    assert packed.copyFrom(tensor(values))
    memory = np.array(packed.getData()).reshape(2, 2, 1, 2, 4)
    for block, batch, place, lane in np.ndindex(2, 2, 2, 4):
        channel = 4 * block + lane
        expected = values[batch, channel, 0, place] if channel < 6 else 0
        assert memory[block, batch, 0, place, lane] == expected


def test_whole_blocks_of_channels_have_a_numpy_view_as_in_mnn_others_do_not():
    assert MNN.Tensor((1, 8, 2, 2), FLOAT, C4).getNumpyData().shape == (1, 8, 2, 2)
    with pytest.raises(ar.ShapeError, match="32 elements in memory; copy it"):
        MNN.Tensor((1, 5, 2, 2), FLOAT, C4).getNumpyData()


@pytest.mark.parametrize("shape", [(2, 5), (2, 5, 3), (1, 5, 3, 2), (2, 8, 3, 2), (1, 3, 2, 4, 5)])
@pytest.mark.parametrize("first", [TF, CAFFE, C4])
@pytest.mark.parametrize("second", [TF, CAFFE, C4])
def test_values_survive_every_way_between_layouts(shape, first, second):
    values = counted(*shape)
    source = tensor(values, CAFFE)
    there = MNN.Tensor(source, first)
    assert there.copyFrom(source)
    further = MNN.Tensor(there, second)
    assert there.copyToHostTensor(further)
    back = MNN.Tensor(shape, FLOAT, CAFFE)
    assert back.copyFromHostTensor(further)
    np.testing.assert_array_equal(back.getNumpyData(), values)


def test_tensorflow_has_the_channels_last():
    values = counted(1, 5, 3, 2)
    last = MNN.Tensor(tensor(values), TF)
    last.copyFrom(tensor(values))
    np.testing.assert_array_equal(last.getNumpyData(), values.transpose(0, 2, 3, 1))


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system cannot be asked")
@pytest.mark.parametrize("address", [7, 4096, -1, 1 << 47, (1 << 64) - 8, 1 << 64, 1 << 200])
def test_an_address_of_nothing_is_refused(address):
    with pytest.raises(ValueError, match="the address of 16 readable bytes, got"):
        MNN.Tensor((4,), FLOAT, address, TF)


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system cannot be asked")
def test_memory_that_ends_too_early_is_refused():
    page = mmap.mmap(-1, 2 * mmap.PAGESIZE)
    whole = np.frombuffer(page, np.uint8)
    assert MNN.Tensor((4,), FLOAT, whole.ctypes.data, TF).getData() == (0, 0, 0, 0)
    address = whole.ctypes.data
    del whole
    page.close()
    with pytest.raises(ValueError, match="the address of 16 readable bytes, got"):
        MNN.Tensor((4,), FLOAT, address, TF)


@pytest.mark.parametrize(
    "data",
    [
        counted(4)[::-1],
        counted(2, 2).T,
        np.frombuffer(counted(4).tobytes(), np.float32),
    ],
    ids=["reversed", "transposed", "read-only"],
)
def test_an_array_of_any_layout_is_copied(data):
    made = MNN.Tensor((4,), FLOAT, data, TF)
    assert made.getData() == tuple(data.reshape(-1).tolist())
    made.getNumpyData()[...] = 9


# -- copies ------------------------------------------------------------------------------


def test_neighbouring_dimensions_may_be_merged_by_a_copy():
    flat = MNN.Tensor((1, 24), FLOAT, TF)
    flat.copyFrom(tensor(counted(1, 2, 3, 4), TF))
    assert flat.getData() == tuple(range(24))


@pytest.mark.parametrize(
    ("shape", "dimension"), [((1, 4, 2, 3), TF), ((1, 2, 3, 5), TF), ((1, 2, 3, 4), CAFFE)]
)
def test_a_copy_between_other_shapes_is_refused_and_writes_nothing(shape, dimension):
    target = MNN.Tensor((1, 2, 3, 4), FLOAT, TF)
    with pytest.raises(ar.ShapeError, match=r"copyFrom: expected shape \[1, 2, 3, 4\]"):
        target.copyFrom(tensor(counted(*shape) + 1, dimension))
    assert not any(target.getData())


def test_a_copy_between_types_is_refused():
    ints = MNN.Tensor((2,), MNN.Halide_Type_Int, TF)
    with pytest.raises(ar.DTypeError, match="expected a tensor of float32, got one of int32"):
        MNN.Tensor((2,), FLOAT, TF).copyFrom(ints)


@pytest.mark.parametrize("value", [None, 5, counted(2)])
def test_a_copy_needs_a_tensor(value):
    with pytest.raises(TypeError, match="expected a Tensor"):
        MNN.Tensor((2,), FLOAT, TF).copyFrom(value)


def test_a_copy_from_a_tensor_without_memory_is_refused():
    with pytest.raises(ar.StateError, match="made without shape and data"):
        MNN.Tensor((2,), FLOAT, TF).copyFrom(MNN.Tensor())


def test_from_numpy_writes():
    made = MNN.Tensor((2, 2), FLOAT, TF)
    made.fromNumpy(counted(2, 2))
    assert made.getData() == (0, 1, 2, 3)


def test_from_numpy_packs_caffe_c4():
    packed = MNN.Tensor((1, 5, 1, 1), FLOAT, C4)
    packed.fromNumpy(counted(1, 5, 1, 1))
    assert packed.getData() == (0, 1, 2, 3, 4, 0, 0, 0)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (counted(4), ar.ShapeError, r"expected shape \[2, 2\], got \[4\]"),
        (counted(2, 3), ar.ShapeError, r"got \[2, 3\]"),
        (counted(2, 2, dtype=np.float64), ar.DTypeError, "expected dtype float32, got float64"),
        ([[0, 1], [2, 3]], TypeError, "expected an array, got list"),
    ],
)
def test_from_numpy_refuses_what_does_not_fit_and_writes_nothing(value, error, text):
    made = MNN.Tensor((2, 2), FLOAT, TF)
    with pytest.raises(error, match=text):
        made.fromNumpy(value)
    assert made.getData() == (0, 0, 0, 0)


def test_the_numpy_view_is_writable_and_outlives_the_tensor():
    made = MNN.Tensor((2,), FLOAT, TF)
    view = made.getNumpyData()
    view[1] = 3
    assert made.getData() == (0, 3)
    del made
    assert view.tolist() == [0, 3]


def test_a_tensor_prints_as_its_values(capsys):
    made = tensor(counted(1, 2))
    assert repr(made) == "array([[0., 1.]], dtype=float32)"
    made.printTensorData()
    assert capsys.readouterr().out == "array([[0., 1.]], dtype=float32)\n"

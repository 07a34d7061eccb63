"""The C++ resolver lines: method names of TFLM's ``MicroMutableOpResolver``."""

import pytest

from arenite.analysis.resolver_code import resolver
from arenite.model import ModelBuilder
from arenite.ops.tflm_names import add_method


def model(*names, custom=()):
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    for name in names:
        b.operator(name, [x], [x], custom_options=b"" if name in custom else None)
    return b.build()


def test_every_operator_is_added_once_in_model_order():
    cpp = resolver(model("CONV_2D", "SOFTMAX", "CONV_2D"))
    assert cpp.lines == (
        "static tflite::MicroMutableOpResolver<2> resolver;",
        "resolver.AddConv2D();",
        "resolver.AddSoftmax();",
    )
    assert cpp.operators == 2


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("AVERAGE_POOL_2D", "AddAveragePool2D"),
        ("BATCH_MATMUL", "AddBatchMatMul"),
        ("BATCH_TO_SPACE_ND", "AddBatchToSpaceNd"),
        ("CUMSUM", "AddCumSum"),
        ("DEPTHWISE_CONV_2D", "AddDepthwiseConv2D"),
        ("L2_POOL_2D", "AddL2Pool2D"),
        ("LOG_SOFTMAX", "AddLogSoftmax"),
        ("PADV2", "AddPadV2"),
        ("RELU6", "AddRelu6"),
        ("RESIZE_NEAREST_NEIGHBOR", "AddResizeNearestNeighbor"),
        ("SELECT_V2", "AddSelectV2"),
        ("UNIDIRECTIONAL_SEQUENCE_LSTM", "AddUnidirectionalSequenceLSTM"),
        ("CONV_3D", None),
        ("CUSTOM", None),
    ],
)
def test_method_names(name, method):
    assert add_method(name) == method


def test_custom_operators_of_tflm_have_methods_of_their_own():
    lines = resolver(model("SignalRfft", custom=("SignalRfft",))).lines
    assert lines[1] == "resolver.AddRfft();"


def test_other_custom_operators_are_added_by_name():
    lines = resolver(model("my.op", custom=("my.op",))).lines
    assert lines[1] == 'resolver.AddCustom("my.op", Register_my_op());'


def test_operators_of_mnn_files_are_listed_apart():
    cpp = resolver(model("MNN_LRN", "ADD", custom=("MNN_LRN",)))
    assert (cpp.operators, cpp.missing) == (1, ("MNN_LRN",))


def test_a_custom_name_cannot_leave_its_c_string():
    lines = resolver(model('"); evil\n\\é', custom=('"); evil\n\\é',))).lines
    assert lines[1] == (
        'resolver.AddCustom("\\042); evil\\012\\134\\303\\251", Register_____evil___());'
    )


def test_builtin_operators_that_tflm_lacks_are_listed_apart():
    cpp = resolver(model("CONV_3D", "ADD"))
    assert cpp.missing == ("CONV_3D",)
    assert cpp.lines == (
        "static tflite::MicroMutableOpResolver<1> resolver;",
        "resolver.AddAdd();",
    )

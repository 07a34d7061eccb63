"""A user's C++ kernel in an exported firmware: no interpreter, the host's bits, errors as text.

Programs run on an emulated Cortex-M4. The first build compiles a C library, which takes minutes.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.errors import BoardError
from arenite.firmware.board import Board
from arenite.firmware.compiler.zig import Headers
from arenite.firmware.device import Device
from arenite.firmware.trial import trial
from arenite.ops.tflite.conv_2d import Conv2DOptions
from arenite.ops.tflite.if_ import IfOptions
from tests.kernels.trees import SAMPLES, full_tree

pytest.importorskip("unicorn")
pytest.importorskip("ziglang")

LENGTH = 12


@pytest.fixture(scope="module")
def kernels():
    return ar.compile_kernels(SAMPLES / "exported.cc", tflm=full_tree())


def history(kernels):
    """A layer of Arenite's before it and one behind; a constant, a variable, options."""
    b = ar.ModelBuilder()
    x = b.input("x", (1, LENGTH), "int8", scale=0.5)
    same = b.tensor("same", (1, LENGTH), "int8", scale=0.5)
    before = b.tensor("before", (1, LENGTH), "int8", scale=0.5, is_variable=True)
    weights = b.constant("weights", np.arange(LENGTH, dtype=np.int8) - 4, scale=0.5)
    sums = b.tensor("sums", (1, LENGTH), "int8", scale=0.25, zero_point=3)
    y = b.tensor("y", (1, LENGTH), "int8", scale=0.25, zero_point=3)
    b.operator("RELU", [x], [same])
    b.operator("HISTORY", [same, before, weights], [sums], custom_options=b"\x07")
    b.operator("RELU", [sums], [y])
    b.output(y)
    return replace(
        b.build(), registrations={"HISTORY": kernels["HISTORY"]}, source="history.tflite"
    )


def one_layer(kernels, name):
    b = ar.ModelBuilder()
    x = b.input("x", (1, LENGTH), "int8", scale=0.5)
    y = b.tensor("y", (1, LENGTH), "int8", scale=0.5)
    b.operator(name, [x], [y], custom_options=b"")
    b.output(y)
    return replace(b.build(), registrations={name: kernels[name]}, source="one.tflite")


def test_every_layer_is_the_hosts_and_the_self_test_passes(kernels):
    found = trial(history(kernels), runs=6)
    assert found.differences == ()
    assert "PASS" in found.self_test
    assert found.layers[1].function == "history_1"
    assert 0 < found.static_bytes < 600
    assert found.code_bytes < 5000


def test_what_it_remembers_is_forgotten_by_a_reset(kernels):
    samples = np.random.default_rng(0).integers(-8, 8, (7, 1, LENGTH)).astype(np.int8)
    board, here = Board(history(kernels)), ar.Interpreter(history(kernels))
    expected = here.predict(samples, stateful=True)
    np.testing.assert_array_equal(board.predict(samples, stateful=True), expected)
    assert board.is_stateful
    board.reset()
    np.testing.assert_array_equal(board.predict(samples, stateful=True), expected)


def test_an_operator_of_arenites_may_be_replaced(kernels):
    own = ar.compile_kernels(SAMPLES / "convolution.cc", tflm=full_tree())
    b = ar.ModelBuilder()
    rng = np.random.default_rng(0)
    x = b.input("x", (1, 5, 4, 3), "int8", scale=0.5, zero_point=-3)
    w = b.constant(
        "w", rng.integers(-127, 128, (4, 3, 3, 3)).astype(np.int8), scale=[0.1, 0.2, 0.3, 0.4]
    )
    bias = b.constant("b", rng.integers(-999, 999, 4).astype(np.int32))
    y = b.tensor("y", (1, 5, 4, 4), "int8", scale=1.5, zero_point=2)
    b.operator("CONV_2D", [x, w, bias], [y], Conv2DOptions(stride_w=1, stride_h=1))
    b.output(y)
    model = b.build()
    replaced = replace(model, registrations={"CONV_2D": own["CONV_2D"]})
    found = trial(replaced, runs=4)
    assert found.differences == ()
    assert found.layers[0].function.startswith("conv_2d")
    samples = rng.integers(-128, 128, (3, 1, 5, 4, 3)).astype(np.int8)
    expected = ar.Interpreter(model).predict(samples)
    np.testing.assert_array_equal(Board(replaced).predict(samples, stateful=True), expected)


# -- the folder ------------------------------------------------------------------------------


def test_a_folder_has_the_sources_and_says_how_to_compile_them(kernels, tmp_path):
    written = ar.export(one_layer(kernels, "PICKY"), tmp_path / "m", name="m", emulate=True)
    assert {"src/own_kernels.cc", "src/own_context.h", "src/exported.cc"} <= {*written.files}
    readme = Path(written.folder, "README.md").read_text()
    assert "Kernels of yours" in readme
    assert "kernels of yours, beside the arena" in readme
    makefile = Path(written.folder, "Makefile").read_text()
    assert re.search(r"-I\$\(TFLM\)/\S*flatbuffers/include ", makefile)
    facts = json.loads(Path(written.folder, "arenite.json").read_text())
    assert facts["layers"][0]["language"] == "cc"
    assert facts["equal"] is True
    assert facts["static_bytes"] > 0


def test_a_folder_runs_as_it_stands_with_the_tree_that_its_kernels_are_for(kernels, tmp_path):
    ar.export(one_layer(kernels, "PICKY"), tmp_path / "m", name="m")
    found = trial(tmp_path / "m", headers=Headers(full_tree()))
    assert found.equal
    with pytest.raises(BoardError, match=r"kernels of yours in C\+\+: expected .* --tflm PATH"):
        trial(tmp_path / "m")


def test_plain_c_for_any_processor_has_the_memory_that_it_takes_here(kernels, tmp_path):
    ar.export(one_layer(kernels, "PICKY"), tmp_path / "m", name="m", target=None)
    assert trial(tmp_path / "m", "cortex-m4", headers=Headers(full_tree())).equal


def test_it_is_written_again_over_what_it_wrote(kernels, tmp_path):
    first = ar.export(one_layer(kernels, "PICKY"), tmp_path / "m", name="m")
    again = ar.export(one_layer(kernels, "PICKY"), tmp_path / "m", name="m")
    assert again.files == first.files
    assert again.kept == ()


# -- what goes wrong there ------------------------------------------------------------------------

#: By the number in PICKY's external context.
FAULTS = {
    1: (
        "init",
        r"m_init: operator 0 \(PICKY\): prepare answered 1; it printed: this is not for you",
    ),
    2: ("invoke", r"m_invoke: operator 0 \(PICKY\): invoke answered 1$"),
    3: ("init", r"it asks for 40 bytes of persistent memory, the plan has 16"),
    4: ("init", r"it asks for 25 bytes of scratch memory, the plan has 24"),
    5: ("invoke", r"MicroGraph::InvokeSubgraph\(1\) is not served: a compiled kernel cannot call"),
    6: ("invoke", r"GetEvalTensor\(7\) is not served: the operator has no such tensor"),
    7: ("invoke", r"AllocatePersistentBuffer is not served: invoke may not ask for it"),
    8: ("init", r"AllocateTempBuffer is not served: this firmware has no temporary memory"),
}


@pytest.fixture(scope="module")
def picky(kernels, tmp_path_factory):
    folder = tmp_path_factory.mktemp("picky") / "m"
    ar.export(one_layer(kernels, "PICKY"), folder, name="m")
    return Device(folder, "m", "cortex-m4", headers=Headers(full_tree()))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_kernel_that_fails_is_named_with_what_it_said(picky, fault):
    function, text = FAULTS[fault]
    picky.call("set_external_context", fault)
    if function == "invoke":
        picky.call("init")
    with pytest.raises(BoardError, match=text):
        picky.call(function)
    picky.call("set_external_context", 0)
    picky.call("init")
    picky.call("invoke")


def test_an_inference_after_an_init_that_failed_says_why_that_was(picky):
    picky.call("set_external_context", 1)
    with pytest.raises(BoardError, match="prepare answered 1"):
        picky.call("init")
    with pytest.raises(BoardError, match=r"m_invoke: .*prepare answered 1"):
        picky.call("invoke")


def test_an_inference_may_end_with_it(picky):
    picky.call("set_external_context", 9)
    picky.call("init")
    assert picky.call("invoke") == 0


def test_an_inference_without_init_says_so(kernels, tmp_path):
    ar.export(one_layer(kernels, "PICKY"), tmp_path / "m", name="m")
    device = Device(tmp_path / "m", "m", "cortex-m4", headers=Headers(full_tree()))
    device.machine.restart()
    with pytest.raises(BoardError, match=r"operator 0 \(PICKY\): m_init\(\) was not called"):
        device.call("invoke")


# -- what is refused when it is exported ------------------------------------------------------


def test_temporary_buffers_are_refused(kernels, tmp_path):
    with pytest.raises(ar.UnsupportedOperatorError, match=r"GREEDY: a kernel .*temporary buffers"):
        ar.export(one_layer(kernels, "GREEDY"), tmp_path / "m")


def test_a_processor_whose_core_does_not_say_its_sizes_is_refused(kernels, tmp_path):
    text = r"takes on esp32c3 is not known.*`--target host`"
    with pytest.raises(ar.UnsupportedOperatorError, match=text):
        ar.export(one_layer(kernels, "PICKY"), tmp_path / "m", target="esp32c3")


def test_a_layer_of_another_subgraph_is_refused(kernels, tmp_path):
    b = ar.ModelBuilder()
    condition = b.input("c", (1,), "bool")
    x = b.input("x", (1, LENGTH), "int8", scale=0.5)
    y = b.tensor("y", (1, LENGTH), "int8", scale=0.5)
    inner = one_layer(kernels, "PICKY")
    b.operator("IF", [condition, x], [y], IfOptions(1, 1))
    b.output(y)
    model = replace(b.build(subgraphs=inner.subgraphs), registrations=inner.registrations)
    with pytest.raises(ar.UnsupportedOperatorError, match="runs in the main subgraph alone"):
        ar.export(model, tmp_path / "m")

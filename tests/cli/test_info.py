"""``arenite info``."""

import json

import numpy as np
import pytest

import arenite as ar
from arenite.memory.offline import with_plan
from arenite.model import ModelBuilder
from arenite.model.offline_plan import Origin
from arenite.ops.tflite.fully_connected import FullyConnectedOptions
from tests.cli.models import classifier, saved
from tests.mnn.nets import square_net
from tests.optimize.lowered import KINDS, REVISED


def test_info_shows_ports_operators_sizes_and_resolver(arenite, model_file):
    result = arenite("info", model_file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == str(model_file)
    assert lines[2:17] == [
        "     tensor              scale  zero point  real values  bytes  name",
        "in   int8[1,8,8,1]  0.00392157        -128  0 .. 1          64  image",
        "out  int8[1,4]      0.00390625        -128  0 .. 0.9961      4  probabilities",
        "",
        "#  operator  input          weights        output         parameters   MACs",
        "0  CONV_2D   int8[1,8,8,1]  int8[3,3,3,1]  int8[1,8,8,3]          30  1,728",
        "1  CONV_2D   int8[1,8,8,3]  int8[4,8,8,3]  int8[1,1,1,4]         772    768",
        "2  RESHAPE   int8[1,1,1,4]                 int8[1,4]               0      0",
        "3  SOFTMAX   int8[1,4]                     int8[1,4]               0      0",
        "",
        "description  a test",
        "parameters   802",
        "MACs         2,496",
        f"file         {model_file.stat().st_size:,} bytes (2.5 KiB)",
        "constants    831 bytes",
    ]
    assert lines[-4:] == [
        "  static tflite::MicroMutableOpResolver<3> resolver;",
        "  resolver.AddConv2D();",
        "  resolver.AddReshape();",
        "  resolver.AddSoftmax();",
    ]


def test_a_narrow_terminal_drops_columns_and_a_wide_one_adds_options(
    arenite, model_file, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "60")
    narrow = arenite("info", model_file).stdout
    assert "#  operator  input          output         parameters   MACs" in narrow
    monkeypatch.setenv("COLUMNS", "120")
    wide = arenite("info", model_file).stdout
    assert "int8[1,8,8,3]  same, stride 1x1          30  1,728" not in wide
    assert "int8[1,8,8,3]  same             30  1,728" in wide


def test_the_keys_of_the_json_are_stable(arenite, model_file):
    facts = json.loads(arenite("info", model_file, "--json").stdout)
    assert list(facts) == [
        "file",
        "description",
        "file_bytes",
        "parameters",
        "constant_bytes",
        "macs",
        "macs_complete",
        "inputs",
        "outputs",
        "subgraphs",
        "plan",
        "npu",
        "metadata",
        "resolver",
    ]
    assert list(facts["inputs"][0]) == ["name", "type", "shape", "bytes", "quantization"]
    assert list(facts["inputs"][0]["quantization"]) == ["scale", "zero_point", "axis"]
    operator = facts["subgraphs"][0]["operators"][0]
    assert list(operator) == [
        "index",
        "name",
        "custom",
        "version",
        "inputs",
        "outputs",
        "options",
        "parameters",
        "constant_bytes",
        "macs",
    ]
    assert list(operator["inputs"][0]) == ["tensor", "name", "type", "shape", "constant"]
    assert operator["options"]["padding"] == "SAME"
    assert operator["options"]["fused_activation_function"] == "NONE"
    assert list(facts["resolver"]) == ["operators", "lines", "missing", "refused", "remedy"]
    assert (facts["macs"], facts["parameters"]) == (2496, 802)


def test_custom_and_unknown_operators_are_described_too(arenite, tmp_path):
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("[red]y", (1, 4), "float32")
    b.operator("MY_OP", [x, -1], [y], custom_options=b"abc")
    b.operator("CONV_3D", [y], [y])
    b.output(y)
    result = arenite("info", saved(b.build(), tmp_path / "m.tflite"))
    assert result.exit_code == 0
    assert "[red]y" in result.stdout
    assert "MACs         0, not counted: 2 of 2 operators" in result.stdout
    assert '  resolver.AddCustom("MY_OP", Register_MY_OP());' in result.stdout
    assert "  // TensorFlow Lite Micro does not have: CONV_3D" in result.stdout


def test_an_empty_model_is_described(arenite, tmp_path):
    result = arenite("info", saved(ModelBuilder().build(), tmp_path / "m.tflite"))
    assert result.exit_code == 0
    assert "parameters   0" in result.stdout


def test_a_file_that_is_no_model_is_refused(arenite, tmp_path):
    path = tmp_path / "model [v2].tflite"
    path.write_bytes(b"GGUF....")
    result = arenite("info", path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("error: expected a TensorFlow Lite or MNN file")
    assert "model [v2].tflite" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_model_that_tflm_refuses_is_called_that(arenite, tmp_path):
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "float32"), b.tensor("y", (1, 2), "float32")
    w = b.constant("w", np.ones((2, 4), np.int8), scale=1.0)
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], FullyConnectedOptions())
    b.output(y)
    path = saved(b.build(), tmp_path / "hybrid.tflite")
    text = " ".join(arenite("info", path).stdout.split())
    assert "// TensorFlow Lite Micro refuses this model: " in text
    assert "TFLM runs no hybrid" in text
    refused = json.loads(arenite("info", path, "--json").stdout)["resolver"]["refused"]
    assert "TFLM runs no hybrid" in refused


def test_a_model_that_tflm_runs_is_not(arenite, model_file):
    assert json.loads(arenite("info", model_file, "--json").stdout)["resolver"]["refused"] is None


def test_info_says_for_whose_kernels_the_files_plan_was_made(arenite, tmp_path):
    origin = Origin("target", "cortex-m4", "cmsis_nn", "gcc")
    model = with_plan(classifier(), {(0, 0): 0, (0, 3): 16}, origin)
    file = saved(model, tmp_path / "wrong_on_this_host.tflite")
    kernels = "the file's own, for the kernels of cortex-m4, cmsis_nn, gcc"
    assert f"memory plan {kernels}" in " ".join(arenite("info", file).stdout.split())
    facts = json.loads(arenite("info", file, "--json").stdout)
    assert facts["plan"]["made_for"]["overlap"] == "target"
    assert facts["resolver"]["refused"] is None
    with pytest.raises(ar.PlanError):
        ar.smallest_arena(file)


def test_the_command_that_helps_is_named_where_it_helps(arenite, tmp_path):
    path = saved(KINDS["SIGN"](np.random.default_rng(0)), tmp_path / "m.tflite")
    command = f"arenite optimize {path} --lower -o out.tflite"
    assert json.loads(arenite("info", path, "--json").stdout)["resolver"]["remedy"] == command
    _, reverse = REVISED["REVERSE_V2"]
    path = saved(reverse(np.random.default_rng(0)), tmp_path / "m.tflite")
    found = json.loads(arenite("info", path, "--json", "--tflm-version", "pico-tflmicro").stdout)
    assert found["resolver"]["remedy"] == ""
    assert found["revision"]["remedy"] == f"{command} --tflm-version pico-tflmicro"
    b = ModelBuilder()
    x = b.input("x", (2, 2), "bool")
    y = b.tensor("y", (4, 2), "int64")
    b.operator("WHERE", [x], [y])
    b.output(y)
    path = saved(b.build(), tmp_path / "m.tflite")
    assert json.loads(arenite("info", path, "--json").stdout)["resolver"]["remedy"] == ""


def _lacking(count: int) -> ar.Model:
    """``count`` operators that TFLM runs, and one that it does not have."""
    b = ModelBuilder()
    x = b.input("x", (2, 2), "float32")
    for number in range(count):
        y = b.tensor(f"t{number}", (2, 2), "float32")
        b.operator("ABS", [x], [y])
        x = y
    y = b.tensor("a rather long name of what comes out of the model", (2, 2), "float32")
    b.operator("CONV_3D", [x], [y])
    b.output(y)
    return b.build()


def test_the_verdict_is_first_and_every_line_of_the_firmware_is_cpp(arenite, tmp_path):
    b = ModelBuilder()
    inputs = [b.input(f"x{number}", (1, 2), "float32") for number in range(32)]
    y = b.tensor("a rather long name of what comes out of the model", (1, 64), "float32")
    b.operator("CONCATENATION", inputs, [y])
    b.output(y)
    lines = arenite("info", saved(b.build(), tmp_path / "m.tflite")).stdout.splitlines()
    assert lines[2].startswith("TensorFlow Lite Micro refuses this model: CONCATENATION 0 has 32")
    firmware = [line.strip() for line in lines[lines.index("Firmware (C++)") + 1 :]]
    assert sum(line.startswith("//") for line in firmware) > 1
    assert all(line.startswith(("//", "resolver.", "static ")) for line in firmware)


def test_many_operators_are_counted_by_kind_unless_all_are_asked_for(arenite, tmp_path):
    path = saved(_lacking(150), tmp_path / "m.tflite")
    short, long = (arenite("info", path, *more).stdout.splitlines() for more in ([], ["--all"]))
    assert [line for line in short if line.startswith("ABS")] == [
        "ABS            150           0     0"
    ]
    assert any(line.startswith("151 operators, by kind;") for line in short)
    assert sum(" ABS " in line for line in long) == 150


def test_a_net_of_mnn_shows_its_fields(arenite, tmp_path):
    path = tmp_path / "x.mnn"
    path.write_bytes(square_net([1, 4], sourceType=3, preferForwardType=2, bizCode="shop"))
    lines = arenite("info", path).stdout.splitlines()
    fields = dict(line.split() for line in lines[lines.index("Net (MNN)") + 1 :])
    assert fields["sourceType"] == "ONNX"
    assert fields["preferForwardType"] == "OPENCL"
    assert (fields["version"], fields["tensorName"], fields["bizCode"]) == ("3.6.1", "2", "shop")
    facts = json.loads(arenite("info", path, "--json").stdout)["net"]
    assert (facts["sourceType"], facts["oplists"]) == ("ONNX", 2)

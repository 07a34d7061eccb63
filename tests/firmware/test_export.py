"""A folder that a firmware takes."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import arenite as ar
from arenite.firmware import export, export_facts
from arenite.firmware.text.source import sources
from arenite.formats import tflite
from tests.compiler import compiler
from tests.firmware.built import LIBRARY, Compiled
from tests.firmware.models import residual, running_maximum
from tests.ops.differential import random_array
from tests.shared import DIGITS, shared_model


def test_the_public_name_is_this_function():
    assert ar.export is export


def test_an_export_says_in_a_line_what_it_takes(tmp_path):
    result = export(DIGITS, tmp_path / "d", target="cortex-m4")
    assert repr(result) == (
        f"<Export of digits_int8 for cortex-m4 in {result.folder}: "
        f"arena {result.arena_bytes:,} bytes, constants {result.constant_bytes:,}>"
    )


def test_the_compiled_model_gives_the_interpreter_s_outputs(tmp_path):
    model = ar.load(DIGITS)
    compiled = Compiled(export(model, tmp_path / "m", target=None), model)
    interpreter = ar.Interpreter(model)
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = random_array(model.inputs[0], rng)
        np.testing.assert_array_equal(compiled(x)[0], interpreter(x))


@pytest.mark.parametrize("name", ["kws_int8", "ad_int8", "ic_int8", "vww_int8"])
def test_compiled_models_give_tflm_s_bits(oracle, name, tmp_path):
    path = shared_model(name)
    model = ar.load(path)
    compiled = Compiled(export(model, tmp_path / name, target=None), model)
    rng = np.random.default_rng(1)
    x = [random_array(model.inputs[0], rng) for _ in range(3)]
    answer = oracle.run(path.read_bytes(), [[one] for one in x])
    assert answer.status == "ok"
    for one, wanted in zip(x, answer.outputs, strict=True):
        np.testing.assert_array_equal(compiled(one)[0], wanted[0])


def test_a_compiled_model_remembers_until_it_is_reset(tmp_path):
    model = running_maximum()
    compiled = Compiled(export(model, tmp_path / "m", name="m", target=None), model)
    x = np.array([[-128, 3, -5, 7]], np.int8)
    assert compiled(x)[0].tolist() == [-100, 3, -5, 7]
    other = np.array([[64, -2, 2, -4]], np.int8)
    assert compiled(other)[0].tolist() == [64, 3, 2, 7]
    compiled.reset()
    assert compiled(other)[0].tolist() == [64, -2, 2, -4]


def test_a_c_plus_plus_compiler_takes_every_file(tmp_path):
    result = export(residual(), tmp_path / "m", target=None)
    (tmp_path / "user.cc").write_text(
        '#include "m/src/model_model.h"\nint main() { model_init(); return 0; }\n'
    )
    cc = compiler()
    plus = [*cc[:-1], cc[-1].replace("cc", "c++").replace("gcc", "g++")] if cc[-1] == "cc" else cc
    files = [tmp_path / "user.cc", *(Path(result.folder) / name for name in LIBRARY)]
    for file in files:
        command = [*plus, "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-c", file]
        done = subprocess.run(
            [*map(str, command), "-o", str(tmp_path / "o")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_a_folder_may_be_exported_again(tmp_path):
    first = export(residual(), tmp_path, target=None)
    assert export(residual(1), tmp_path, target=None).files == first.files
    assert _files(tmp_path) == sorted(first.files)


def _files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_folder_with_other_files_is_left_alone(tmp_path):
    (tmp_path / "mine.c").write_text("int x;")
    with pytest.raises(FileExistsError, match=r"with other files and no arenite\.json"):
        export(residual(), tmp_path, target=None)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.c"]


def test_the_manifest_has_the_figures(tmp_path):
    result = export(residual(), tmp_path, target=None)
    facts = json.loads((tmp_path / "arenite.json").read_text())
    assert {*facts.pop("digests"), "arenite.json"} == set(result.files)
    assert {**facts, "kept": []} == json.loads(json.dumps(export_facts(result)))
    assert facts["arena_bytes"] == 16
    assert facts["layers"][3]["function"] == "lookup_1"


def test_names_of_a_file_stay_inside_comments(tmp_path):
    b = ar.ModelBuilder()
    x = b.input("*/ int x; /*\\", (4,), "int8", scale=1.0)
    y = b.tensor("y\n#error", (4,), "int8", scale=1.0)
    b.operator("RELU", [x], [y])
    b.output(y)
    result = export(b.build(), tmp_path, target=None)
    header = (Path(result.folder) / "src" / "model.h").read_text()
    lines = [line for line in header.splitlines() if "int x;" in line or "#error" in line]
    assert [line[:2] + line[-2:] for line in lines] == ["/**/"] * 2
    assert all(line.count("*/") == line.count("/*") == 1 for line in lines)


def test_channels_that_never_change_are_not_exported_to_assembly(tmp_path):
    b = ar.ModelBuilder()
    x = b.input("x", (1, 8), "int8", scale=0.1)
    weights = np.ones((16, 8), np.int8)
    weights[3:11] = 0  # eight units that are their bias
    first = b.tensor("first", (1, 16), "int8", scale=0.1)
    b.operator("FULLY_CONNECTED", [x, b.constant("w", weights, scale=0.1)], [first])
    second = b.tensor("second", (1, 4), "int8", scale=0.1)
    last = b.constant("v", np.ones((4, 16), np.int8), scale=0.1)
    b.operator("FULLY_CONNECTED", [first, last], [second])
    b.output(second)
    result = export(b.build(), tmp_path)
    assert [layer.shapes for layer in result.layers] == ["1x8 -> 1x8", "1x8 -> 1x4"]


def test_sources_are_the_same_every_time():
    from arenite.firmware.kernels.portable import portable_work
    from arenite.firmware.plan.program import program_of

    one, two = (sources(program_of(residual(), portable_work)) for _ in range(2))
    assert one == two


def test_a_header_says_whether_outputs_may_lie_on_inputs(tmp_path):
    said = {"overwritten": "An output may lie where an", "apart": "No output lies where an input"}
    for inputs, words in said.items():
        result = export(residual(), tmp_path / inputs, target=None, inputs=inputs)
        assert words in (Path(result.folder) / "src" / "model.h").read_text("utf-8")


@pytest.mark.parametrize(("features", "is_taken"), [("+dsp", True), ("-dsp", False)])
def test_assembly_for_a_cortex_m33_takes_a_core_with_dsp(tmp_path, features, is_taken):
    pytest.importorskip("ziglang")
    result = export(residual(), tmp_path / "m", target="cortex-m33")
    file = Path(result.folder) / "src" / "kernels.S"
    assert "\n.cpu cortex-m33\n" in file.read_text("utf-8")
    command = [sys.executable, "-m", "ziglang", "cc", "--target=thumb-freestanding-eabi"]
    command += [f"-mcpu=cortex_m33{features}", "-c", str(file), "-o", str(tmp_path / "o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == is_taken
    assert ("-mcpu=cortex-m33 (zig cc: cortex_m33+dsp+fp_armv8d16sp)" in done.stderr) != is_taken


def test_a_file_s_backticks_stay_in_the_code_span_of_a_readme(tmp_path):
    file = tmp_path / "a`**b**``.tflite"
    file.write_bytes(tflite.write(residual()))
    export(file, tmp_path / "m", target=None)
    text = (tmp_path / "m" / "README.md").read_text("utf-8")
    assert "Arenite from ``` a`**b**``.tflite ```:" in text


def test_a_model_of_more_than_a_thousand_tensors_is_exported(tmp_path):
    b = ar.ModelBuilder()
    at = b.input("x", (1,), "int8", scale=0.1)
    for number in range(1030):
        before, at = at, b.tensor(f"t{number}", (1,), "int8", scale=0.1 + number % 2)
        b.operator("QUANTIZE", [before], [at])
    b.output(at)
    result = export(b.build(), tmp_path / "m", target=None, optimize=False)
    assert len(result.layers) == 1030

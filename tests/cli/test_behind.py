"""Data behind the FlatBuffer: LiteRT reads them, TFLM does not, and commands are about TFLM."""

import json
from dataclasses import replace

import numpy as np
import pytest

import arenite as ar
from arenite import litert, peers
from arenite.analysis.refusal import refusal
from arenite.formats.tflite import write
from arenite.model.offline_plan import OFFLINE_METADATA
from tests.cli.exit_codes import COMMANDS
from tests.cli.models import classifier
from tests.formats.edited import behind, edited
from tests.oracle import skip_without_tflm
from tests.runtime.wake_word import wake_word

#: Commands that read such a file, and those that are about no model's numbers.
READ, OTHERS = ("info", "optimize", "quantize", "report"), ("boards", "sdks", "check-kernel")
FILES = {
    "buffers": lambda: behind(write(classifier())),
    "one large buffer": lambda: behind(write(classifier()), 256),
    "variables": lambda: behind(write(wake_word())),
}


@pytest.fixture
def outside(tmp_path):
    """A file with all its buffers behind the FlatBuffer."""
    path = tmp_path / "outside.tflite"
    path.write_bytes(behind(write(classifier())))
    return path


def words_of(command, path, tmp_path):
    """Arguments of a command with the file as its model."""
    words = {
        "compare": ["@tflm"],
        "evaluate": [tmp_path / "data.npz"],
        "export": ["-o", tmp_path / "out"],
        "which": ["--used", "9"],
    }
    return [command, path, *words.get(command, ())]


@pytest.mark.parametrize("command", [one for one in COMMANDS if one not in READ + OTHERS])
def test_commands_that_mean_tflm_refuse_it_with_the_cure(arenite, outside, tmp_path, command):
    if command in ("board", "export"):
        pytest.importorskip("unicorn")
    shape = (2, *classifier().inputs[0].shape[1:])
    np.savez(tmp_path / "data.npz", x=np.zeros(shape, np.float32), y=np.array([0, 1]))
    result = arenite(*words_of(command, outside, tmp_path))
    assert result.exit_code in (1, 2)
    said = " ".join(result.stderr.split())
    assert "TFLM does not read tensor" in said
    assert f"`arenite optimize {outside} -o OUT.tflite` moves them inside" in said
    assert not list(tmp_path.glob("out.*"))


@pytest.mark.parametrize("file", sorted(FILES))
def test_optimize_moves_them_inside(arenite, tmp_path, file):
    path, out = tmp_path / "in.tflite", tmp_path / "out.tflite"
    path.write_bytes(FILES[file]())
    assert ar.load(path).behind
    result = arenite("optimize", path, "-o", out, "--only", "clean", "--verify", "0")
    assert result.exit_code == 0, result.output
    assert ar.load(out).behind == ()
    assert ar.Interpreter(str(out))


def test_moved_inside_it_computes_what_litert_computes_of_the_file(arenite, outside, tmp_path):
    pytest.importorskip("ai_edge_litert")
    out = tmp_path / "out.tflite"
    assert arenite("optimize", outside, "-o", out, "--only", "clean").exit_code == 0
    shape = ar.load(out).inputs[0].shape
    x = np.random.default_rng(1).integers(-128, 128, shape).astype(np.int8)
    (theirs,) = peers.ask("litert-builtin", [outside.read_bytes()], [[x]], 1)
    ours = litert.Interpreter(model_path=str(outside))
    ours.allocate_tensors()
    ours.set_tensor(ours.get_input_details()[0]["index"], x)
    ours.invoke()
    expected = theirs.outputs[0][0]
    assert np.array_equal(ours.get_tensor(ours.get_output_details()[0]["index"]), expected)
    assert np.array_equal(ar.Interpreter(str(out))(x), expected)


def test_info_reads_it_and_says_what_runs_it_not(arenite, outside):
    result = arenite("info", outside)
    assert result.exit_code == 0
    assert "TFLM does not read tensor" in " ".join(result.stdout.split())
    assert json.loads(arenite("info", outside, "--json").stdout)


def test_a_report_has_the_refusal_in_the_place_of_numbers(outside):
    assert "TFLM does not read tensor" in refusal(ar.load(outside))


def test_bytes_inside_count_where_there_are_both():
    skip_without_tflm()
    data = write(classifier())

    def both(model):
        for buffer in model.buffers:
            if buffer.data is not None:
                buffer.offset, buffer.size = 16, len(buffer.data)

    file = edited(data, both)
    x = np.random.default_rng(2).integers(-128, 128, classifier().inputs[0].shape).astype(np.int8)
    expected = ar.Interpreter(data)(x)
    assert np.array_equal(ar.Interpreter(file)(x), expected)
    for answers in (
        peers.ask("tflm", [file], [[x]], 1, 1 << 20),
        peers.ask("litert-builtin", [file], [[x]], 1),
    ):
        assert np.array_equal(answers[0].outputs[0][0], expected), answers[0].reason


def test_a_plan_behind_the_flatbuffer_is_none_for_tflm():
    model = classifier()
    count = len(model.main.tensors)
    plan = np.array([1, 0, count, *[-1] * count], "<i4").tobytes()
    file = behind(write(replace(model, metadata={OFFLINE_METADATA: plan})), len(plan))
    assert f"metadata {OFFLINE_METADATA}" in ar.load(file).behind

"""``arenite optimize``."""

import json
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pytest

import arenite as ar
from arenite import peers
from arenite.cli.optimize import OverlapName, read_ranges
from arenite.errors import OptimizationError
from arenite.formats import tflite
from arenite.model import ModelBuilder
from arenite.optimize import effort, loops, optimizer, verify
from arenite.optimize.sequence import ORDER
from arenite.optimize.settings import OVERLAPS
from tests.optimize.compressible import dense, weights
from tests.optimize.layers import Layers
from tests.optimize.lowered import KINDS, Net
from tests.optimize.networks import network
from tests.runtime.subgraphs import endless
from tests.shared import shared_model

has_litert = pytest.mark.skipif(not peers.is_installed("litert"), reason="no LiteRT")
ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def wasteful(tmp_path):
    """A model with an operator that does nothing and one that nobody reads."""
    net = Layers(0)
    x = net.conv(net.input(1, 6, 6, 2), 4)
    net.relu(x)
    net.output(net.softmax(net.reshape(x, x.shape)))
    path = tmp_path / "wasteful.tflite"
    path.write_bytes(tflite.write(net.build(description="a test")))
    return path


def facts(arenite, *arguments):
    result = arenite("optimize", *arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_result_is_written_and_smaller(arenite, wasteful, tmp_path):
    out = tmp_path / "out.tflite"
    result = arenite("optimize", wasteful, "-o", out)
    assert result.exit_code == 0, result.stderr
    assert [op.name for op in ar.load(out).main.operators] == ["CONV_2D", "SOFTMAX"]
    assert out.stat().st_size < wasteful.stat().st_size
    assert ar.smallest_arena(out) < ar.smallest_arena(wasteful)


def test_the_table_has_a_row_per_pass_that_changed_something(arenite, wasteful):
    lines = arenite("optimize", wasteful).stdout.splitlines()
    table = next(i for i, line in enumerate(lines) if line.startswith("pass"))
    assert lines[table].split() == ["pass", "arena", "head", "flash", "MACs", "cycles", "operators"]
    assert [line.split()[0] for line in lines[table + 1 : table + 4]] == [
        "original",
        "fold",
        "clean",
    ]
    assert any(line.startswith("Verified: equal bits on") for line in lines)
    assert any("operators[2]: RESHAPE gave what it got" in line for line in lines)


def test_figures_agree_with_the_files(arenite, wasteful, tmp_path):
    out = tmp_path / "out.tflite"
    found = facts(arenite, wasteful, "-o", out, "--target", "cortex-m4")
    assert found["original"]["flash"] == wasteful.stat().st_size
    assert found["result"]["flash"] == out.stat().st_size
    assert found["result"]["arena"] == ar.smallest_arena(out, target="cortex-m4")
    assert found["result"]["cycles"] < found["original"]["cycles"]
    assert found["passes"][-1]["after"] == found["result"]
    assert found["verification"]["inferences"] == 15
    assert (found["changed"], found["ram"], found["fits"]) == (True, None, None)


def test_a_second_run_finds_nothing(arenite, wasteful, tmp_path):
    out = tmp_path / "out.tflite"
    arenite("optimize", wasteful, "-o", out, "--only", "fold,clean")
    found = facts(arenite, out, "--only", "fold,clean")
    assert not found["changed"]
    assert found["verification"] is None
    assert "The model is as it was." in arenite("optimize", out, "--only", "fold,clean").stdout


def test_the_model_is_not_replaced_unless_that_is_asked_for(arenite, wasteful):
    before = wasteful.read_bytes()
    result = arenite("optimize", wasteful, "-o", wasteful)
    assert result.exit_code == 2
    assert "expected a file that is not read as well" in result.stderr
    assert wasteful.read_bytes() == before
    assert arenite("optimize", wasteful, "-o", wasteful, "--replace").exit_code == 0
    assert len(wasteful.read_bytes()) < len(before)


def test_without_an_output_nothing_is_written(arenite, wasteful, tmp_path):
    assert arenite("optimize", wasteful).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == [wasteful.name]


def test_ram_that_is_not_enough_is_code_1(arenite, wasteful, tmp_path):
    out = tmp_path / "out.tflite"
    result = arenite("optimize", wasteful, "-o", out, "--ram", "1k")
    assert result.exit_code == 1
    assert "more than --ram" in result.stderr
    assert out.exists()
    assert arenite("optimize", wasteful, "--ram", "1M").exit_code == 0


@pytest.fixture
def loose(tmp_path):
    """A model whose weights are of few values."""
    path = tmp_path / "loose.tflite"
    path.write_bytes(tflite.write(dense(weights("few", (256, 256)))))
    return path


ON_M4 = ("--target", "cortex-m4", "--compress", "--decoder-code", "0", "--verify", "0")


def test_weights_are_compressed_within_the_deadline(arenite, loose, tmp_path):
    out = tmp_path / "out.tflite"
    for deadline, expected in (("1s", 1), ("6ms", 0)):
        limits = ("--deadline", deadline, "--clock", "100")
        assert arenite("optimize", loose, "-o", out, *ON_M4, *limits).exit_code == 0
        names = [one.name for one in ar.load(out).main.operators]
        assert names.count("TFLM_DECODE") == expected


def test_a_deadline_that_is_over_already_is_code_1(arenite, loose):
    result = arenite("optimize", loose, *ON_M4, "--deadline", "1us", "--clock", "100")
    assert result.exit_code == 1
    assert "--deadline leaves" in result.stderr


def test_memory_beside_the_arena_takes_what_is_decoded(arenite, loose):
    plain, beside = (
        facts(arenite, loose, *ON_M4, *more)["result"]["arena"]
        for more in ((), ("--decompression-memory", "64k"))
    )
    assert beside < plain - 60_000


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (("--compress", "--deadline", "5ms"), "expected --clock or --board for a deadline"),
        (("--compress", "--deadline", "5ms", "--clock", "80"), "whose cycles are known"),
        (("--decompression-memory", "4k"), "expected compress=True"),
    ],
)
def test_limits_of_compression_that_mean_nothing_are_usage_errors(arenite, loose, given, reason):
    result = arenite("optimize", loose, *given)
    assert result.exit_code == 2
    assert reason in " ".join(result.stderr.replace("│", " ").split())


def test_some_passes_only(arenite, wasteful):
    assert [one["name"] for one in facts(arenite, wasteful, "--only", "clean")["passes"]] == [
        name for name in ORDER if name == "clean"
    ]
    result = arenite("optimize", wasteful, "--only", "magic")
    assert result.exit_code == 2
    assert "expected a pass of" in result.stderr


def test_names_go_with_strip(arenite, wasteful, tmp_path):
    out = tmp_path / "out.tflite"
    assert arenite("optimize", wasteful, "-o", out, "--strip").exit_code == 0
    model = ar.load(out)
    assert {tensor.name for tensor in model.main.tensors} == {""}
    assert model.description == ""


def test_a_difference_is_code_1_and_writes_nothing(arenite, wasteful, tmp_path, monkeypatch):
    def differs(*arguments):
        raise OptimizationError("expected 1 at element 0, got 2")

    monkeypatch.setattr(optimizer, "verify_models", differs)
    out = tmp_path / "out.tflite"
    result = arenite("optimize", wasteful, "-o", out)
    assert result.exit_code == 1
    assert "thrown away" in result.stderr
    assert not out.exists()


def test_without_verification_it_says_so(arenite, wasteful, monkeypatch):
    monkeypatch.setattr(verify, "verify", None)
    assert "Not verified." in arenite("optimize", wasteful, "--verify", 0).stdout


def test_both_plans_are_drawn(arenite, wasteful, tmp_path):
    svg = tmp_path / "plans.svg"
    result = arenite("optimize", wasteful, "--svg", svg, "--map")
    assert result.exit_code == 0
    root = ElementTree.fromstring(svg.read_text(encoding="utf-8"))
    inner = [part for part in root if part.tag.endswith("svg")]
    assert len(inner) == 2
    heights = [int(part.get("height", "0")) for part in inner]
    assert int(root.get("height", "0")) == sum(heights)
    assert "Head before:" in result.stdout
    assert "Head after:" in result.stdout


def test_verbose_lists_everything_and_times(arenite, wasteful):
    short = arenite("optimize", wasteful, "--strip").stdout
    long = arenite("optimize", wasteful, "--strip", "--verbose").stdout
    assert len(long.splitlines()) >= len(short.splitlines())
    assert "see --verbose" not in long


@pytest.mark.parametrize("text", ["image", "image=1", "image=2:1", "=0:1", "image=a:b"])
def test_ranges_that_are_none_are_usage_errors(arenite, wasteful, text):
    result = arenite("optimize", wasteful, "--range", text)
    assert result.exit_code == 2
    assert "expected NAME=LOW:HIGH" in result.stderr


def test_ranges_by_name():
    assert read_ranges(["a=b=0:1", "c=-1.5:2"]) == {"a=b": (0.0, 1.0), "c": (-1.5, 2.0)}


def test_the_names_of_overlaps_are_those_of_settings():
    assert get_args(OverlapName) == OVERLAPS


def test_a_model_of_mnn_is_refused(arenite):
    result = arenite("optimize", shared_model_of_mnn())
    assert result.exit_code == 1
    assert "expected a .tflite model, got one of MNN's" in result.stderr


def shared_model_of_mnn():
    return shared_model("kws_int8").parent.parent / "mnn" / "kws_int8.mnn"


def test_a_model_that_tflm_does_not_run_stays_as_it_is(arenite):
    found = facts(arenite, shared_model("kws_hybrid"))
    assert not found["changed"]
    assert "it does not run" in found["passes"][0]["declined"][0]["text"]


def test_the_picture_of_both_plans_is_up_to_date(arenite, monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    model, made = "examples/digits/digits_int8.tflite", tmp_path / "made.svg"
    options = ("--overlap", "target", "--verify", "0", "--svg", made)
    assert arenite("optimize", model, *options).exit_code == 0
    committed = ROOT / "docs" / "images" / "digits_plans.svg"
    assert committed.read_text(encoding="utf-8") == made.read_text(encoding="utf-8")


def test_an_optimised_file_is_optimised_again_for_another_target(arenite, tmp_path):
    model, first = ROOT / "examples" / "digits" / "digits_int8.tflite", tmp_path / "first.tflite"
    options = ("--target", "cortex-m4", "--overlap", "target", "--dilate", "--verify", "2")
    assert arenite("optimize", model, "-o", first, *options).exit_code == 0
    again = facts(arenite, first, *options)
    assert not again["changed"]
    other = facts(arenite, first, "--overlap", "target", "--verify", "2")
    assert other["verification"]["inferences"] == 9
    assert other["result"]["head"] <= 1552


def endless_file(tmp_path):
    path = tmp_path / "endless.tflite"
    path.write_bytes(tflite.write(endless()))
    return path


def test_an_endless_loop_is_not_verified_and_code_3(arenite, tmp_path, monkeypatch):
    monkeypatch.setattr(loops, "MOST_WORK", 3000)
    out = tmp_path / "out.tflite"
    result = arenite("optimize", endless_file(tmp_path), "-o", out, "--strip")
    assert result.exit_code == 3
    text = " ".join(result.stdout.split())
    assert "Not verified: loops longer than 1,500 calls of subgraphs" in text
    assert out.exists()


def test_an_endless_loop_is_not_verified_in_json_either(arenite, tmp_path, monkeypatch):
    monkeypatch.setattr(loops, "MOST_WORK", 3000)
    result = arenite("optimize", endless_file(tmp_path), "--strip", "--json")
    assert result.exit_code == 3
    made = json.loads(result.stdout)["verification"]
    assert made["ways"] == []
    assert made["unfinished"].startswith("loops longer than 1,500 calls")


def test_what_a_search_gave_up_is_said(arenite, tmp_path, monkeypatch):
    monkeypatch.setattr(effort, "MOST_STEPS", 200)
    net = Layers(0)
    x = net.input(1, 4, 4, 2)
    level = [net.conv(x, 2) for _ in range(32)]
    while len(level) > 1:
        level = [net.add(a, b) for a, b in zip(level[::2], level[1::2], strict=True)]
    net.output(level[0])
    path = tmp_path / "wide.tflite"
    path.write_bytes(tflite.write(net.build()))
    declined = [
        note["text"]
        for one in facts(arenite, path, "--only", "order", "--verify", 0)["passes"]
        for note in one["declined"]
    ]
    assert any("the search through all orders was given up" in text for text in declined)
    text = " ".join(arenite("optimize", path, "--only", "order", "--verify", 0).stdout.split())
    assert "the search through all orders was given up" in text


@pytest.mark.parametrize("count", [4, 256, 300])
def test_a_constant_under_quantize_that_is_an_output_stays(arenite, tmp_path, count):
    b = ModelBuilder()
    value = np.arange(count).astype(np.int8)
    y = b.tensor("y", (count,), "int8", scale=0.25, zero_point=3)
    b.operator("QUANTIZE", [b.constant("c", value, scale=0.5, zero_point=1)], [y])
    b.output(y)
    path = tmp_path / "constant.tflite"
    path.write_bytes(tflite.write(b.build()))
    result = arenite("optimize", path, "-v")
    assert result.exit_code == 0, result.output
    assert "its results are needed outside" in " ".join(result.stdout.split())


def test_a_larger_arena_on_the_host_than_before_is_said(arenite, tmp_path):
    path = tmp_path / "network.tflite"
    path.write_bytes(tflite.write(network(1296, "residual", "int8")))
    arguments = (path, "--target", "cortex-m4", "--only", "plan", "--verify", 0)
    (other,) = facts(arenite, *arguments)["elsewhere"]
    assert (other["target"]["processor"], other["before"], other["after"]) == ("host", 5008, 5120)
    text = " ".join(arenite("optimize", *arguments).stdout.split())
    assert "the arena is larger: 5,008 bytes to 5,120." in text
    assert facts(arenite, path, "--only", "plan", "--verify", 0)["elsewhere"] == []


@pytest.fixture
def hybrid(tmp_path):
    """A file that TFLM refuses: int8 weights beside float values."""
    path = tmp_path / "hybrid.tflite"
    path.write_bytes(tflite.write(KINDS["networks, hybrid"](np.random.default_rng(0))))
    return path


@has_litert
def test_lower_writes_a_file_that_runs_and_says_how_far_it_is(arenite, hybrid, tmp_path):
    out = tmp_path / "out.tflite"
    found = facts(arenite, hybrid, "--lower", "-o", out)
    assert ar.smallest_arena(out) == found["result"]["arena"]
    far = found["difference"]
    assert (far["inferences"], far["is_exact"], far["skipped"]) == (15, False, "")
    (one,) = far["outputs"]
    assert 0 < one["difference"] < 0.03 * one["largest"]
    text = " ".join(arenite("optimize", hybrid, "--lower").stdout.split())
    assert "Lowered: not the same bits. Outputs here differ from the original's in LiteRT" in text


def test_what_lower_cannot_write_is_an_error_that_names_it(arenite, tmp_path):
    net = Net(np.random.default_rng(0))
    x = net.input("x", (2, 2), "float32")
    path, out = tmp_path / "m.tflite", tmp_path / "out.tflite"
    path.write_bytes(tflite.write(net.ended(net.op("REVERSE_SEQUENCE", [x, x], (2, 2)))))
    result = arenite("optimize", path, "--lower", "-o", out)
    assert result.exit_code == 1
    assert "TFLM still does not run the model" in result.stderr
    assert "REVERSE_SEQUENCE" in result.stderr


@pytest.mark.parametrize("name", ["lower", "compress", "strip"])
def test_a_pass_that_is_wished_for_and_left_out_is_named(arenite, hybrid, name):
    result = arenite("optimize", hybrid, f"--{name}", "--only", "fold")
    assert result.exit_code == 2
    assert f"expected '{name}' among the passes" in result.stderr


def test_without_lower_a_file_that_does_not_run_stays(arenite, hybrid):
    found = facts(arenite, hybrid)
    assert not found["changed"]
    assert found["difference"] is None


def test_what_was_not_compared_with_litert_is_written_with_code_3(
    arenite, hybrid, tmp_path, monkeypatch
):
    monkeypatch.setattr(peers, "is_installed", lambda name: name == "tflm")
    out = tmp_path / "out.tflite"
    result = arenite("optimize", hybrid, "--lower", "-o", out)
    assert result.exit_code == 3
    assert "Not compared with the original: LiteRT" in result.stdout
    assert out.exists()

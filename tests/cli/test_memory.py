"""``arenite memory``."""

import json
from dataclasses import asdict
from typing import get_args
from xml.etree import ElementTree

import pytest

import arenite as ar
from arenite.cli.memory import PlannerName
from arenite.memory.offline import with_plan
from arenite.memory.planners import planner_names
from arenite.model.offline_plan import Origin
from arenite.target import HOST, Target
from tests.cli.models import classifier, saved
from tests.shared import shared_model


@pytest.fixture
def smallest(model_file):
    return ar.smallest_arena(ar.load(model_file), ar.AllOpsResolver())


def facts(arenite, *arguments):
    return json.loads(arenite("memory", *arguments, "--json").stdout)


def test_memory_shows_regions_map_buffers_and_tail(arenite, model_file, smallest):
    result = arenite("memory", model_file, "--target", "host")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[:3] == [str(model_file), f"{HOST}, greedy planner", ""]
    assert lines[3].startswith(f"Arena  {smallest:,} bytes")
    assert len(lines[4]) == 80
    assert lines[5].startswith("█  head    256")
    assert lines[9:13] == [
        "",
        "Head: offset in bytes against operators",
        "256 │████████████████",
        "    │███████0████████",
    ]
    table = lines.index("#  buffer         kind    offset  size  alive")
    assert lines[table + 1] == "0  image          tensor     192    64  input to operator 0"
    assert lines[-4].startswith(f"Smallest arena  {smallest:,} bytes")
    assert lines[-3] == "set by prepare of #1 CONV_2D"
    assert lines[-2].startswith("on a host of 64 bits; --target cortex-m4 says what")


def test_the_regions_make_up_the_arena(arenite, model_file, smallest):
    use = facts(arenite, model_file, "--arena", smallest + 160)
    assert use["arena"] == smallest + 160 == use["head"] + use["temp"] + use["free"] + use["tail"]
    assert use["free"] == 160
    micro = ar.MicroInterpreter(ar.load(model_file), ar.AllOpsResolver(), smallest)
    micro.allocate_tensors()
    assert (use["head"], use["tail"]) == (micro.arena.head_used, micro.arena.tail_used)


def test_the_smallest_arena_works_and_16_bytes_less_do_not(arenite, model_file, smallest):
    assert facts(arenite, model_file)["smallest_arena"] == smallest
    assert arenite("memory", model_file, "--arena", smallest).exit_code == 0
    result = arenite("memory", model_file, "--arena", smallest - 16)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"error: the arena of {smallest - 16} bytes is too small: ")
    assert result.stderr.endswith(f"; the smallest arena that works is {smallest} bytes\n")
    assert len(result.stderr.splitlines()) == 1


def test_no_arena_at_all_is_too_small(arenite, model_file, smallest):
    result = arenite("memory", model_file, "--arena", 0)
    assert result.exit_code == 1
    assert f"the smallest arena that works is {smallest} bytes" in result.stderr


def test_json_of_an_arena_that_is_too_small(arenite, model_file, smallest):
    result = arenite("memory", model_file, "--arena", 64, "--json")
    assert result.exit_code == 1
    use = json.loads(result.stdout)
    peak = use.pop("set_by")
    assert use == {
        "file": str(model_file),
        "planner": "greedy",
        "target": asdict(HOST),
        "fits": False,
        "arena": 64,
        "smallest_arena": smallest,
    }
    assert (peak["moment"], peak["operator"]) == ("prepare", "#1 CONV_2D")
    assert smallest - 16 < peak["used"] <= smallest


def test_the_keys_of_the_json_are_stable(arenite, model_file):
    use = facts(arenite, model_file)
    assert list(use) == [
        "file",
        "planner",
        "target",
        "fits",
        "arena",
        "smallest_arena",
        "set_by",
        "total",
        "head",
        "temp",
        "tail",
        "free",
        "buffers",
        "tail_categories",
        "tail_records",
        "plans",
    ]
    assert set(use["buffers"][0]) >= {
        "name",
        "kind",
        "subgraph",
        "index",
        "offset",
        "size",
        "begin",
        "end",
    }
    assert use["fits"] is True


def test_plans_stand_side_by_side(arenite, model_file):
    lines = arenite("memory", model_file).stdout.splitlines()
    at = lines.index("Plans of the head")
    assert [line.split()[:2] for line in lines[at + 1 : at + 3]] == [
        ["greedy", "256"],
        ["optimal", "256"],
    ]
    assert lines[at + 3].startswith("lower bound  256")
    plans = facts(arenite, model_file)["plans"]
    assert plans["greedy"] == plans["optimal"] == plans["lower_bound"] == 256


def test_what_the_optimal_plan_wins_is_said(arenite):
    path = shared_model("vww_int8")
    text = " ".join(arenite("memory", path, "--target", "cortex-m4").stdout.split())
    assert "an arena of 82,288 instead of 100,720 bytes is enough" in text
    use = facts(arenite, path, "--target", "cortex-m4", "--planner", "optimal")
    assert (use["head"], use["smallest_arena"]) == (55_296, 82_288)


def test_what_passes_win_is_said_if_asked(arenite, model_file):
    assert "Smallest arena after each pass" in arenite("memory", model_file, "--passes").stdout
    passes = facts(arenite, model_file, "--passes")["passes"]
    assert passes[0].keys() == {"name", "arena", "changes"}


def test_two_memories(arenite, model_file, smallest):
    lines = arenite("memory", model_file, "--splits", "sram=1m,psram=8m").stdout.splitlines()
    at = lines.index("Two memories  sram 1,048,576, psram 8,388,608 bytes")
    assert lines[at + 2].split()[:5] == ["one", "arena", "in", "sram", f"{smallest:,}"]
    assert "TFLM as it is: one arena in sram" in lines
    splits = facts(arenite, model_file, "--splits", "sram=1m,psram=8m")["splits"]
    assert splits["best"] == "one arena in sram"
    assert splits["fast"] == {"name": "sram", "size": 1 << 20}


@pytest.mark.parametrize("text", ["sram=1m", "sram,psram=8m", "a=1,b=2,c=3", "a=1,a=2", "a=x,b=2"])
def test_memories_that_are_not_two_are_refused(arenite, model_file, text):
    result = arenite("memory", model_file, "--splits", text)
    assert result.exit_code == 2
    assert "for --splits" in " ".join(result.stderr.split())


def test_the_linear_planner_shares_nothing(arenite, model_file):
    use = facts(arenite, model_file, "--planner", "linear")
    assert use["planner"] == "linear"
    assert use["head"] > facts(arenite, model_file)["head"]


def test_a_32_bit_target_has_smaller_structs(arenite, model_file):
    use = facts(arenite, model_file, "--abi", "ilp32")
    assert use["tail"] < facts(arenite, model_file)["tail"]


@pytest.mark.parametrize(
    ("arguments", "target"),
    [
        ([], HOST),
        (["--target", "cortex-m4f"], Target("cortex-m4")),
        (["--target", "m55", "--library", "tflm"], Target("cortex-m55", "tflm")),
        (["--target", "M7", "--compiler", "armclang"], Target("cortex-m7", compiler="armclang")),
        (["--abi", "ilp32"], Target("host", abi="ilp32")),
    ],
)
def test_a_target_is_the_firmware_that_the_options_say(arenite, model_file, arguments, target):
    use = facts(arenite, model_file, *arguments)
    assert Target(**use["target"]) == target
    micro = ar.MicroInterpreter(
        ar.load(model_file), ar.AllOpsResolver(), use["arena"], target=target
    )
    micro.allocate_tensors()
    assert (use["head"], use["tail"]) == (micro.arena.head_used, micro.arena.tail_used)
    assert use["total"] == micro.arena.used
    lines = arenite("memory", model_file, *arguments).stdout.splitlines()
    assert f"{target}, greedy planner" in lines
    assert any("64 bits" in line for line in lines) == (target == HOST)


def test_an_arena_of_keyword_spotting_on_a_cortex_m55(arenite):
    use = facts(arenite, shared_model("kws_int8"), "--target", "cortex-m55")
    assert use["smallest_arena"] == 27_360


@pytest.mark.parametrize(("target", "row"), [("cortex-m4", 12 * 2), ("cortex-m55", 16 * 2)])
def test_the_target_decides_on_scratch_memory(arenite, model_file, target, row):
    """9 values of im2col: two rows of int16 in fours, or four of int8 in whole vectors."""
    use = facts(arenite, model_file, "--target", target)
    scratch = {b["name"]: b["size"] for b in use["buffers"] if b["kind"] == "scratch"}
    assert scratch["#0 CONV_2D im2col"] == 2 * row


def test_the_abi_may_be_another_one(arenite, model_file):
    use = facts(arenite, model_file, "--target", "m4", "--abi", "lp64")
    assert use["target"]["abi"] == "lp64"


def test_the_planners_are_those_of_the_library():
    assert set(get_args(PlannerName)) <= set(planner_names())


def test_svg_holds_every_buffer_of_the_head(arenite, model_file, tmp_path):
    result = arenite("memory", model_file, "--svg", tmp_path / "plan.svg")
    assert result.exit_code == 0
    root = ElementTree.parse(tmp_path / "plan.svg").getroot()
    tips = [tip.text for tip in root.iterfind("{*}g/{*}title")]
    assert len(tips) == len(facts(arenite, model_file)["buffers"])
    assert tips[0] == "0: image (tensor), 64 bytes at 192, input to operator 0"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--arena", "-1"],
        ["--planner", "best"],
        ["--abi", "z80"],
        ["--target", "z80"],
        ["--library", "cmsis_nn"],
    ],
)
def test_wrong_usage_is_code_2(arenite, model_file, arguments):
    assert arenite("memory", model_file, *arguments).exit_code == 2


@pytest.mark.parametrize("columns", [40, 60, 80, 160])
def test_no_line_is_wider_than_the_terminal(arenite, model_file, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = arenite("memory", model_file, "--target", "host").stdout.splitlines()
    assert max(len(line) for line in lines[1:]) <= columns


@pytest.mark.filterwarnings("default::arenite.PlanWarning")
def test_a_plan_for_other_kernels_is_named_and_warned_of(arenite, tmp_path):
    origin = Origin("target", "cortex-m4", "cmsis_nn", "gcc")
    model_file = saved(with_plan(classifier(), {(0, 0): 4096}, origin), tmp_path / "m.tflite")
    other = arenite("memory", model_file, "--passes")
    assert other.exit_code == 0
    assert other.stderr.count("warning:") == 1
    assert "the file's own  4,160  for the kernels of cortex-m4, cmsis_nn, gcc" in other.stdout
    assert other.stderr.startswith("warning: the model's memory plan was made for the kernels of")
    right = arenite("memory", model_file, "--target", "cortex-m4", "--json")
    assert json.loads(right.stdout)["plans"]["made_for"] == origin._asdict()
    assert right.stderr == ""

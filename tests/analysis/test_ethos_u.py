"""Facts about models that Vela compiled, and how they are shown."""

import json
from pathlib import Path

import pytest

import arenite as ar
from arenite.analysis.ethos_u import npu_facts, npu_operators, on_the_cpu, scratch_facts
from arenite.analysis.facts import model_facts
from arenite.analysis.fit import fit, fit_all
from arenite.analysis.head_plans import head_plans
from arenite.npu.limits import GUESSED, INFERRED
from arenite.ops.registry import builtin_names, traits_of
from arenite.report.ethos_u import render_commands, render_npu, render_scratch
from arenite.target import Target
from tests.npu.vela import KEPT, compiled
from tests.shared import DIGITS, shared_model

U55, U65, U85 = (ar.load(path) for path in KEPT.values())


def text(lines: object) -> str:
    return "\n".join(line.plain for line in lines)  # type: ignore[attr-defined]


def test_a_model_without_an_npu_has_no_such_facts() -> None:
    model = ar.load(DIGITS)
    assert npu_operators(model) == ()
    assert model_facts(model)["npu"] is None
    assert text(render_npu(model, 80)) == ""


def test_facts_are_the_header_s_the_regions_and_the_commands() -> None:
    facts = npu_facts(U65)
    assert facts is not None
    (operator,) = facts["operators"]
    assert (operator["accelerator"], operator["architecture"]) == ("ethos-u65-256", "1.0.6")
    assert operator["regions"] == {"read_only": 5728, "work": 64, "fast": 3712}
    assert operator["operations"]["DEPTHWISE"] == 2
    assert operator["refusal"] is None
    assert facts["cpu"] == {}
    json.dumps(facts)


def test_facts_say_what_is_inferred_and_what_is_guessed() -> None:
    facts = npu_facts(U55)
    assert facts is not None
    assert (facts["inferred"], facts["guessed"]) == (list(INFERRED), list(GUESSED))


@pytest.mark.parametrize("sentence", [*INFERRED, *GUESSED])
def test_the_page_lists_them(sentence: str) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "ethos-u.md"
    assert f"\n- {sentence}\n" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", [name for name in builtin_names() if traits_of(name).compiled], ids=str
)
def test_the_page_lists_every_known_cause_of_a_difference(name: str) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "ethos-u.md"
    rows = [line for line in page.read_text(encoding="utf-8").splitlines() if name in line]
    assert any(line.endswith(f"| {traits_of(name).compiled} |") for line in rows)


def test_what_stays_on_the_cpu_is_named() -> None:
    file = compiled(shared_model("keyword_scrambled_8bit"), "ethos-u55-128")
    assert on_the_cpu(ar.load(file)) == {"SVDF": 7, "QUANTIZE": 1}


def test_an_npu_that_is_not_computed_is_said_to_be() -> None:
    file = bytearray(KEPT["ethos-u55-128"].read_bytes())
    begin = file.index(b"COP1") + 8
    file[begin : begin + 4] = b"\0\0\0\xf0"
    model = ar.load(bytes(file))
    shown = text(render_npu(model, 80))
    assert "not computed here: no NPU of that configuration is known" in shown
    assert scratch_facts(model) == []
    assert "not computed here" in text(render_commands(npu_operators(model)[0], 80))


def test_info_shows_the_npu() -> None:
    shown = text(render_npu(U55, 80)).splitlines()
    assert shown[0] == "Ethos-U"
    assert shown[2].split() == ["0", "ethos-u55-128", "778", "5,728", "3,712", "in", "work"]
    assert shown[-1] == "on the CPU: nothing"


def test_memory_shows_what_is_alive_when_most_is() -> None:
    shown = text(render_scratch(U65, 80))
    assert "64 bytes to work in and 3,712 of fast memory" in shown
    assert "int8 8x8x24  fast     1,024  2,040  operation 4 to 5" in shown


def test_memory_has_no_other_plan_than_the_file_s() -> None:
    plans = head_plans(U55, Target("cortex-m55"))
    assert plans.own == plans.greedy == plans.optimal == plans.lower_bound


def test_fit_counts_fast_memory_apart() -> None:
    need = fit(U65, target="cortex-m55", ram="64k").need("fast memory")
    assert need.total == 3712
    assert "results are wrong" in need.note
    names = [one.name for one in fit(U55, target="cortex-m55", ram="64k").needs]
    assert "fast memory" not in names


def test_commands_are_said_in_words() -> None:
    shown = text(render_commands(npu_operators(U55)[0], 200))
    assert (
        "2  depthwise     int8 8x8x12 in bricks -> int8 8x8x12 in bricks: kernel 3x3, padding "
        "1/1/1/1, 108 weights in 176 bytes, depth first, a scale per channel"
    ) in shown
    assert "304 bytes from 320 of constants to 2,048 of memory to work in" in shown


def test_a_compiled_model_is_not_optimised() -> None:
    model, report = ar.optimize(U55)
    assert model is U55
    (step,) = report.steps
    assert "optimise the original model, and compile that" in str(step.declined[0])


@pytest.mark.parametrize("model", [U55, U65])
def test_the_resolver_s_line_is_tflm_s(model: ar.Model) -> None:
    assert "resolver.AddEthosU();" in model_facts(model)["resolver"]["lines"]


def test_it_fits_a_board_that_has_its_npu() -> None:
    assert fit(U55, board="kit-pse84-eval")
    assert fit(U65, board="corstone-300-fvp")
    assert {one.board.name for one in fit_all(U65)} == {"corstone-300-fvp", "imx93-evk"}


@pytest.mark.parametrize(
    ("board", "said"),
    [
        ("ensemble-e7-devkit", "for ethos-u55-256 of ensemble-e7-devkit, got those for .*-128: "
         r"compile the original for it \(vela --accelerator-config ethos-u55-256\)"),
        ("corstone-320-fvp", r"for ethos-u85 of .*vela --accelerator-config ethos-u85-\.\.\."),
        ("pico2", "no Ethos-U of pico2 is known, got commands for ethos-u55-128"),
    ],
)  # fmt: skip
def test_a_board_with_another_npu_refuses_it_and_says_what_to_do(board: str, said: str) -> None:
    with pytest.raises(ar.ConstraintError, match=said):
        fit(U55, board=board)


def test_a_target_that_names_the_npu_counts_more_than_the_board() -> None:
    assert fit(U55, board="ensemble-e7-devkit", target="cortex-m55+ethos-u55-128")

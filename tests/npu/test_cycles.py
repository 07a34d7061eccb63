"""Vela's public estimate, worked out from commands: near Vela's own table, and told as its own."""

import contextlib
import io
import warnings
from pathlib import Path

import pytest

import arenite as ar
from arenite.analysis.ethos_u import npu_operators
from arenite.analysis.vela_report import estimated, read_report, report_facts
from arenite.npu.cycles import Cycles, estimate
from arenite.npu.u85.cycles import estimate as u85
from arenite.npu.words import kind_of
from arenite.report.page import sections
from arenite.report.vela_report import render_report
from tests.npu.streams import layer, verified
from tests.npu.u85.streams import handed_on, verified85
from tests.npu.vela import KEPT, compiled
from tests.shared import DIGITS, shared_model

MODELS = ("kws_int8", "vww_int8", "ic_int8", "ad_int8", "sww_int8", "person_detect")


def cycles_of(file: Path | bytes) -> list[Cycles]:
    """Of all commands of a file."""
    programs = [one.program for one in npu_operators(ar.load(file))]
    return [c for one in programs for c in (u85 if one.accelerator.is_u85 else estimate)(one)]


def table_of(model: Path, accelerator: str, folder: Path) -> tuple[Path, float]:
    """What Vela makes of a model, and the cycles in its own table."""
    vela = pytest.importorskip("ethosu.vela.vela", reason="Vela is not installed")
    arguments = ["--accelerator-config", accelerator, "--verbose-performance", "--output-dir"]
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(io.StringIO()):
            vela.main([str(model), *arguments, str(folder)])
    report = read_report(next(folder.glob("*_per-layer.csv")))
    return next(folder.glob("*_vela.tflite")), report.cycles


@pytest.mark.parametrize("accelerator", ["ethos-u55-128", "ethos-u55-256", "ethos-u65-256"])
@pytest.mark.parametrize("name", MODELS)
def test_all_cycles_are_near_vela_s_table(name: str, accelerator: str, tmp_path: Path) -> None:
    file, expected = table_of(shared_model(name), accelerator, tmp_path)
    found = sum(one.total for one in cycles_of(file))
    # Slices of a layer count as layers here: ad's last layer has three on U65.
    most = 0.09 if (name, accelerator) == ("ad_int8", "ethos-u65-256") else 0.04
    assert abs(found / expected - 1) < most


@pytest.mark.parametrize("accelerator", ["ethos-u85-128", "ethos-u85-256", "ethos-u85-512"])
@pytest.mark.parametrize("name", MODELS)
def test_all_cycles_of_u85_are_near_vela_s_table(
    name: str, accelerator: str, tmp_path: Path
) -> None:
    file, expected = table_of(shared_model(name), accelerator, tmp_path)
    found = sum(one.total for one in cycles_of(file))
    # Copies that Vela hides under more than the command before them count here.
    most = 0.06 if accelerator != "ethos-u85-512" else 0.1
    assert abs(found / expected - 1) < most


def test_what_goes_on_from_a_chain_is_part_of_where_it_begins() -> None:
    first, second = u85(verified85(handed_on()))
    assert (second.total, second.macs) == (0, 0)
    assert first.units > 0


@pytest.mark.parametrize("accelerator", ["ethos-u55-128", "ethos-u65-256"])
def test_an_average_pool_over_a_whole_map_has_vela_s_cycles(
    accelerator: str, tmp_path: Path
) -> None:
    file, _ = table_of(shared_model("kws_int8"), accelerator, tmp_path)
    rows = read_report(next(tmp_path.glob("*_per-layer.csv"))).layers
    (expected,) = (one.cycles for one in rows if one.operator == "AvgPool")
    (one,) = npu_operators(ar.load(file))
    pools = [op.number for op in one.program.operations if kind_of(op) == "average pool"]
    (found,) = (c.total for c in estimate(one.program) if c.number in pools)
    assert abs(found / expected - 1) < 0.01


def pooled(height: int, **changed: int) -> Cycles:
    """Of a pool of one element over rows of 2 by 2."""
    commands = layer(height, 2, 2, **changed).do("POOL", 0).stop()
    (found,) = estimate(verified(commands))
    return found


def test_a_pool_of_one_element_is_worked_out_by_hand() -> None:
    # Products: four cycles for each of two rows, whose columns are taken at once, and of bytes four
    # times that: 32. Stores: a quarter of a cycle for each of 8 elements: 2. Commands of four
    # blocks are under way: (32 + 2) / 4 = 8.5, and so long the stores take. Both for the only
    # block, one behind the other: 40. Before and behind it 32 cycles until memory answers and 4 for
    # a burst of 32 bytes: 72.
    blocks = {"OFM_BLK_HEIGHT": 2, "OFM_BLK_WIDTH": 2, "OFM_BLK_DEPTH": 8}
    found = pooled(2, **blocks)
    assert (found.macs, found.waiting) == (8, 0)
    assert found.units == 40 + 72


def test_more_blocks_take_more_cycles() -> None:
    one = {"OFM_BLK_HEIGHT": 2, "OFM_BLK_WIDTH": 2, "OFM_BLK_DEPTH": 8}
    assert pooled(4, **one).units > pooled(2, **one).units


def test_a_model_without_commands_to_run_has_no_estimate() -> None:
    assert estimated(ar.load(DIGITS)) is None


def test_it_says_whose_numbers_these_are() -> None:
    report = estimated(ar.load(KEPT["ethos-u65-256"]))
    assert report is not None
    facts = report_facts(report)
    assert facts["source"] == "Vela's estimate, worked out from the commands"
    assert facts["system"] == "Ethos_U65_Client_Server"
    last = "\n".join(line.plain for line in render_report(report, 80)).rsplit("total", 1)[1]
    assert "Vela's public estimate" in " ".join(last.split())


def test_operators_on_the_cpu_are_rows_without_cycles() -> None:
    model = ar.load(compiled(shared_model("keyword_scrambled_8bit"), "ethos-u55-128"))
    report = estimated(model)
    assert report is not None
    rest = [one for one in report.layers if one.target == "CPU"]
    assert ([one.operator for one in rest].count("SVDF"), len(rest)) == (7, 8)
    assert not any(one.cycles for one in rest)
    html = "".join(sections.npu(report, []))
    assert "7x SVDF" in html
    assert "On the CPU" in html

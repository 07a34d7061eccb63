"""Vela's table of cycles: read, summed by layer, and refused where it is none."""

from pathlib import Path

import pytest

import arenite as ar
from arenite.analysis.vela_report import read_report, report_facts
from arenite.report.vela_report import render_report

HEAD = "Original Operator,NNG Operator,Target,Op Cycles,MAC Count,Name\n"
TABLE = (
    f"{HEAD}Conv2D,Conv2D,NPU,1344,6912,a\nConv2D,Relu,NPU,6,0,a\nSVDF,SVDF,CPU,0,0,b\n"
    "FullyConnected,Conv2D,NPU,650,1280,c\n"
)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "model_per-layer.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def test_commands_of_one_layer_are_one_row(tmp_path: Path) -> None:
    report = read_report(written(tmp_path, TABLE))
    assert [(one.operator, one.target, one.cycles, one.macs) for one in report.layers] == [
        ("Conv2D", "NPU", 1350, 6912),
        ("SVDF", "CPU", 0, 0),
        ("FullyConnected", "NPU", 650, 1280),
    ]
    assert report.cycles == 2000
    assert report_facts(report)["source"] == "Vela's estimate"


def test_it_is_shown_with_shares_and_whose_it_is(tmp_path: Path) -> None:
    lines = [line.plain for line in render_report(read_report(written(tmp_path, TABLE)), 80)]
    assert lines[3].split() == ["Conv2D", "a", "NPU", "6,912", "1,350", "68%"]
    assert lines[-2].split() == ["total", "2,000"]
    assert lines[-1].startswith("Cycles are Vela's, not measured")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected Vela's per-layer.csv, with the columns Original Operator"),
        ("a,b\n1,2\n", "vela --verbose-performance writes it"),
        (f"{HEAD}Conv2D,Conv2D,NPU,many,0,a\n", "line 2, Op Cycles: expected a number from 0"),
        (f"{HEAD}Conv2D,Conv2D,NPU,nan,0,a\n", "got 'nan'"),
        (f"{HEAD}Conv2D,Conv2D,NPU,-1,0,a\n", "got '-1'"),
        (f"{HEAD}Conv2D\n", "line 2: expected 5 columns with values"),
        ("\udcff", "expected Vela's per-layer.csv"),
    ],
)
def test_what_is_no_such_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ar.ModelError, match=message):
        read_report(written(tmp_path, text))

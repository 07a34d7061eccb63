"""``arenite report``."""

from __future__ import annotations

import importlib
import subprocess
import sys

import numpy as np
import pytest

import arenite as ar
from arenite.model import ModelBuilder
from tests.cli.models import saved
from tests.quantize.agreement import samples
from tests.quantize.models import random_dense
from tests.report.page import pages
from tests.report.page.pages import Parsed

try:
    import resource
except ImportError:  # Windows
    resource = None


@pytest.fixture
def undrawn(monkeypatch):
    monkeypatch.setattr("arenite.report.page.make.draw", pages.undrawn)


@pytest.mark.usefixtures("undrawn")
def test_report_writes_a_page_and_says_how_large_it_is(arenite, model_file, tmp_path):
    page = tmp_path / "page.html"
    result = arenite("report", model_file, "-o", page, "--compare", "@cortex-m55")
    assert result.exit_code == 0
    assert result.stdout == f"{page}: {page.stat().st_size:,} bytes\n"
    assert "14 inferences" in Parsed(page.read_text(encoding="utf-8")).text


@pytest.mark.usefixtures("undrawn")
def test_it_is_for_a_target(arenite, model_file, tmp_path):
    page = tmp_path / "page.html"
    assert arenite("report", model_file, "-o", page, "--target", "m55").exit_code == 0
    assert "cortex-m55, TFLM with CMSIS-NN" in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("undrawn")
def test_a_side_that_does_not_exist_is_wrong_usage(arenite, model_file, tmp_path):
    page = tmp_path / "page.html"
    result = arenite("report", model_file, "-o", page, "--compare", "@nothing")
    assert result.exit_code == 2
    assert "expected an engine" in result.stderr
    assert not page.exists()


def test_without_the_library_charts_are_missing_alone(arenite, model_file, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    page = tmp_path / "page.html"
    result = arenite("report", model_file, "-o", page)
    assert result.exit_code == 0
    assert "warning: 3 of 3 charts missing (" in result.stderr
    assert "pip install 'vl-convert-python>=1.9,<2'" in result.stderr
    parsed = Parsed(page.read_text(encoding="utf-8"))
    assert parsed.charts == [None] * 3
    assert "pip install 'vl-convert-python>=1.9,<2'" in parsed.text


@pytest.mark.skipif(resource is None, reason="the system limits no address space")
def test_a_limit_of_address_space_costs_the_charts_alone(model_file, tmp_path):
    """V8 ends its process where it may not reserve what it never uses."""
    pytest.importorskip("vl_convert", reason="the extra report is not installed")
    page, limit = tmp_path / "page.html", 4 << 30
    done = subprocess.run(
        [sys.executable, "-m", "arenite", "report", str(model_file), "-o", str(page)],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "which draws them, was ended by SIG" in done.stderr
    assert "`ulimit -v` allows 4,194,304 KiB" in done.stderr
    parsed = Parsed(page.read_text(encoding="utf-8"))
    assert parsed.charts == [None] * 3
    assert "was ended by SIG" in parsed.text


def test_the_function_and_the_room_have_one_name():
    make = importlib.import_module("arenite.report.page.make")
    assert ar.report.page.make is make
    assert ar.report.__wrapped__ is make.report


@pytest.mark.usefixtures("undrawn")
def test_operators_of_ones_own_have_a_memory_map(arenite, tmp_path):
    b = ModelBuilder()
    x, y = b.input("x", (1, 4), "int8"), b.tensor("y", (1, 4), "int8")
    b.operator("TWICE", [x], [y], custom_options=b"")
    b.output(y)
    model, page = saved(b.build(), tmp_path / "twice.tflite"), tmp_path / "page.html"
    ops = tmp_path / "twice.py"
    ops.write_text("import arenite as ar\nOPERATORS = {'TWICE': ar.Registration(invoke=print)}\n")
    assert arenite("report", model, "-o", page, "--ops", ops).exit_code == 0
    assert 'id="h-Memory"' in page.read_text(encoding="utf-8")
    assert arenite("report", model, "-o", page).exit_code == 0
    assert 'id="h-Memory"' not in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("undrawn")
def test_a_page_of_a_board_leads_with_the_verdict(arenite, model_file, tmp_path):
    page = tmp_path / "page.html"
    assert arenite("report", model_file, "-o", page, "--board", "nano33ble").exit_code == 0
    text = Parsed(page.read_text(encoding="utf-8")).text
    assert text.index("It fits: the arena into RAM.") < text.index("Memory over time")
    assert "arenite export" in text


@pytest.mark.usefixtures("undrawn")
def test_a_deadline_without_a_clock_is_wrong_usage(arenite, model_file, tmp_path):
    result = arenite("report", model_file, "-o", tmp_path / "page.html", "--deadline", "5ms")
    assert result.exit_code == 2
    assert "expected a clock for the deadline" in result.stderr


@pytest.mark.usefixtures("undrawn")
def test_it_shows_how_the_model_was_quantised(arenite, tmp_path):
    model = random_dense(8, 16, 4)
    np.savez(tmp_path / "x.npz", x=samples(model, 30)[0].reshape(30, 8))
    path, out = saved(model, tmp_path / "float.tflite"), tmp_path / "int8.tflite"
    told = arenite("quantize", path, "--data", tmp_path / "x.npz", "-o", out, "--json")
    kept, page = tmp_path / "report.json", tmp_path / "page.html"
    kept.write_text(told.stdout, encoding="utf-8")
    assert arenite("report", out, "-o", page, "--quantized", kept).exit_code == 0
    parsed = Parsed(page.read_text(encoding="utf-8"))
    assert "Where it is lost" in parsed.text
    assert "another file" not in parsed.text
    arenite("report", path, "-o", page, "--quantized", kept)
    assert "another file" in Parsed(page.read_text(encoding="utf-8")).text


@pytest.mark.usefixtures("undrawn")
def test_a_file_that_is_no_quantisation_s_report_is_refused(arenite, model_file, tmp_path):
    kept, page = tmp_path / "report.json", tmp_path / "page.html"
    kept.write_text("{}", encoding="utf-8")
    result = arenite("report", model_file, "-o", page, "--quantized", kept)
    assert result.exit_code == 1
    assert "expected what `arenite quantize --json` prints" in " ".join(result.stderr.split())
    assert not page.exists()

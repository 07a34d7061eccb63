"""``arenite evaluate``."""

import json
import shlex

import numpy as np
import pytest

from tests.analysis.evaluated import given, saved, scores
from tests.shared import DIGITS

HELD_OUT = DIGITS.parent / "held_out.npz"


def test_it_shows_metrics_and_a_row_per_class(arenite):
    result = arenite("evaluate", DIGITS, HELD_OUT, "--top-k", 3)
    assert result.exit_code == 0, result.stderr
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["accuracy", "99.72%"] in rows
    assert ["top-3", "100.00%"] in rows
    nine = next(row for row in rows if row and row[0] == "9")
    assert nine[1:11] == [*"........", "1", "40"]


def test_engines_stand_side_by_side(arenite):
    result = arenite("evaluate", DIGITS, HELD_OUT, "--against", "@m4", "--limit", 50)
    lines = result.stdout.splitlines()
    assert next(line for line in lines if "accuracy" in line).split().count("100.00%") == 2
    assert "0 of 50 samples are of another class with @m4" in result.stdout


def test_json_has_the_counts(arenite):
    result = arenite("evaluate", DIGITS, HELD_OUT, "--json")
    facts = json.loads(result.stdout)
    assert (facts["samples"], facts["task"]) == (360, "classify")
    assert np.array(facts["engines"][0]["confusion"]).trace() == 359


def test_of_many_classes_the_worst_are_shown(arenite, tmp_path):
    model = saved(scores(15), tmp_path / "m.tflite")
    x = given(*np.eye(15)[[0, 1, 2, 3, 3]])
    np.savez(tmp_path / "data.npz", x=x, y=np.array([0, 1, 2, 3, 14]))
    result = arenite("evaluate", model, tmp_path / "data.npz")
    assert "The 10 classes that are found least, of 15:" in result.stdout
    lines = result.stdout.splitlines()
    place = lines.index("right  said  samples")
    assert lines[place + 1] == "14     3           1"


@pytest.mark.parametrize(("limit", "code"), [(0.99, 0), (0.999, 1)])
def test_a_limit_decides_the_exit_code(arenite, limit, code):
    result = arenite("evaluate", DIGITS, HELD_OUT, "--min-accuracy", limit)
    assert result.exit_code == code
    assert ("expected accuracy of at least 0.999, got 0.997222" in result.stderr) is bool(code)


def test_labels_of_a_file_name_the_classes(arenite, tmp_path):
    labels = tmp_path / "labels.txt"
    labels.write_text("\n".join(f"digit-{n}" for n in range(10)))
    facts = json.loads(arenite("evaluate", DIGITS, HELD_OUT, "--labels", labels, "--json").stdout)
    assert facts["classes"][3] == "digit-3"


def test_another_order_of_the_classes_is_a_line_to_type(arenite, tmp_path):
    model = saved(scores(3), tmp_path / "m.tflite")
    x = given(*np.repeat(np.eye(3)[[1, 2, 0]], 4, axis=0))
    np.savez(tmp_path / "data.npz", x=x, y=np.repeat(["an ant", "bee", "cat"], 4))
    result = arenite("evaluate", model, tmp_path / "data.npz")
    assert "fits much better: 100.00% instead of 0.00%" in " ".join(result.stdout.split())
    (line,) = [line.split() for line in result.stdout.splitlines() if "--labels" in line]
    words = shlex.split(" ".join(line))
    again = arenite("evaluate", model, tmp_path / "data.npz", *words)
    assert "accuracy" in again.stdout
    assert "100.00%" in again.stdout
    assert "Another order" not in again.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--against", "@nobody"), "expected an engine of"),
        (("--raw-pixels", "--pixel-range", "0", "1"), "expected one of --raw-pixels and"),
        (("--ops", "x.py", "--workers", "2"), "expected one of --ops and --workers"),
        (("--y", "nothing"), "expected an array 'nothing'"),
        (("--task", "anomaly"), "expected a model whose output is like its input"),
    ],
)
def test_what_cannot_be_is_said(arenite, arguments, words):
    result = arenite("evaluate", DIGITS, HELD_OUT, *arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.replace("│", " ").split())


# -- what a user's files may hold ----------------------------------------------------------


@pytest.fixture
def table(tmp_path):
    """``table(row, ...)`` is a .csv of them, below a heading and a row of a picture."""
    pytest.importorskip("PIL")
    for name in ("a", "b"):
        picture = (DIGITS.parent / "images" / "3.png").read_bytes()
        (tmp_path / f"{name}.png").write_bytes(picture)

    def make(*rows):
        path = tmp_path / "data.csv"
        path.write_text("\n".join(("path,label", "a.png,3", *rows)))
        return path

    return make


LONG = "1" * 5000


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("b" * 131073 + ",4", "data.csv, line 3: field larger than field limit (131072)"),
        ("b" * 5000 + ",4", "bbb...'"),
        ("b.png,9223372036854775808", "data.csv, line 3: expected an integer of at most 64 bits"),
        ("b.png,-9223372036854775809", "as label, got -9223372036854775809"),
        (f"b.png,{LONG}", "data.csv, line 3: expected an integer of at most 64 bits"),
        ("a.png," + "x" * 5000, "data.csv, line 3: a.png is 'xxx"),
    ],
)
def test_what_no_table_should_hold_is_named_by_its_row(arenite, table, row, words):
    result = arenite("evaluate", DIGITS, table(row))
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr) < 1000


def test_a_folder_named_by_an_integer_of_over_64_bits_is_no_class(arenite, tmp_path):
    for name in ("3", "0" * 30 + "4", LONG[:20]):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.png").write_bytes(b"")
    result = arenite("evaluate", DIGITS, tmp_path)
    assert result.exit_code == 2
    assert f"y[1]: expected a class from 0 to 9, got {LONG[:20]}" in result.stderr


@pytest.mark.parametrize(("content", "got"), [(b"", "an empty file"), (b"x", "something else")])
def test_a_picture_that_is_none_is_named_without_an_internal_class(arenite, tmp_path, content, got):
    pytest.importorskip("PIL")
    (tmp_path / "3").mkdir()
    (tmp_path / "3" / "a.png").write_bytes(content)
    result = arenite("evaluate", DIGITS, tmp_path)
    assert result.exit_code == 2
    assert result.stderr.endswith(
        f"a.png: not a readable image: expected a PNG, BMP or JPEG, got {got}\n"
    )

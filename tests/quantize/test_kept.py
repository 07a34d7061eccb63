"""A quantisation's report as a file of JSON: read again, or refused with what is wrong."""

import json
from typing import Any

import pytest

import arenite as ar
from arenite.errors import QuantizationError
from arenite.quantize.kept import read_kept
from arenite.quantize.outcome import quantization_facts
from arenite.quantize.settings import Budget
from tests.quantize.agreement import samples
from tests.quantize.models import random_dense


@pytest.fixture(scope="module")
def facts() -> dict[str, Any]:
    model = random_dense(4, 5, 3)
    _, report = ar.quantize(model, samples(model, 30), passes=(), budget=Budget(min_sqnr=1.0))
    found: dict[str, Any] = json.loads(json.dumps(quantization_facts(report)))
    return found


def kept(folder, text):
    path = folder / "report.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_was_printed_is_read_again(facts, tmp_path):
    assert read_kept(kept(tmp_path, json.dumps(facts))) == facts


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("sqnr_db", "much", "expected a number at $.sqnr_db, got 'much'"),
        ("sqnr_db", float("nan"), "expected numbers, got NaN"),
        ("sqnr_db", 1e300, "expected a number at $.sqnr_db"),
        ("samples", -1, "expected a whole number from 0 at $.samples"),
        ("samples", True, "expected a whole number from 0 at $.samples"),
        ("layers", {}, "expected a list at $.layers"),
        ("layers", [{"position": 0}], "expected a value at $.layers[0].name"),
        ("scores", [], "expected an object at $.scores"),
        ("notes", [1], "expected a text at $.notes[0]"),
    ],
)
def test_what_is_no_report_is_refused_with_its_place(facts, tmp_path, key, value, said):
    with pytest.raises(QuantizationError) as caught:
        read_kept(kept(tmp_path, json.dumps({**facts, key: value})))
    assert said in str(caught.value)


def test_a_key_that_is_not_there_is_named(facts, tmp_path):
    text = json.dumps({key: value for key, value in facts.items() if key != "ranges"})
    with pytest.raises(QuantizationError, match=r"\$\.ranges"):
        read_kept(kept(tmp_path, text))


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 100_000, "null"])
def test_other_files_are_refused(tmp_path, text):
    with pytest.raises(QuantizationError, match="expected what `arenite quantize --json` prints"):
        read_kept(kept(tmp_path, text))

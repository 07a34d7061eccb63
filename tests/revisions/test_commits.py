"""Every commit upstream that touches kernels is judged, with a row or a reason."""

import csv
from collections import Counter
from importlib.resources import files

import pytest

from arenite.revisions.changes import changes
from arenite.revisions.cmsis_nn import changes as of_cmsis_nn

VERDICTS = {"none", "bits", "arena", "accepts", "refuses", "undefined", "cost"}
BY = {"row", "read", "skimmed", "subject"}
TABLE = files("arenite.revisions").joinpath("commits.csv").read_text(encoding="utf-8")
ROWS = list(csv.DictReader(TABLE.splitlines()))


def test_no_commit_is_unjudged():
    assert {row["verdict"] for row in ROWS} == VERDICTS
    assert all(row["by"] in BY or row["by"].startswith("rule: ") for row in ROWS)
    assert len({(row["repository"], row["commit"]) for row in ROWS}) == len(ROWS)


def test_what_changed_results_or_memory_has_a_row_or_a_reason():
    for row in ROWS:
        if row["verdict"] not in ("none", "cost"):
            assert row["row"] or row["note"], row["commit"]


@pytest.mark.parametrize("repository", ["tflite-micro", "CMSIS-NN"])
def test_rows_that_are_modelled_are_those_of_the_tables(repository):
    ours = {row.commit: row for row in changes()} | {
        row.commit: row for row in of_cmsis_nn().values()
    }
    for row in ROWS:
        if row["by"] == "row" and row["repository"] == repository:
            what, subject = row["row"].split()
            known = [*changes(), *of_cmsis_nn().values()]
            assert any(
                (one.commit, one.what, one.subject) == (row["commit"], what, subject)
                for one in known
            )
        elif row["repository"] == repository:
            assert row["commit"] not in ours, "run tools/upstream_commits.py again"


def test_the_page_counts_them():
    from tests.shared import DIGITS

    page = (DIGITS.parents[2] / "docs" / "revisions.md").read_text(encoding="utf-8")
    counts = Counter(row["verdict"] for row in ROWS)
    for verdict, count in counts.items():
        assert f"| `{verdict}` | {count} |" in page

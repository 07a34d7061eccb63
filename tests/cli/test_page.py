"""The outputs that pages show are real."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
MAKER = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))
SHOWING = [page for page in MAKER["PAGES"] if MAKER["BLOCK"].search(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: page.name)
def test_outputs_on_a_page_are_up_to_date(page, monkeypatch):
    if "auc\n" in page.read_text(encoding="utf-8"):
        pytest.importorskip("sklearn")  # a column is missing without it
    monkeypatch.chdir(ROOT)
    assert MAKER["page"](page) == page.read_text(encoding="utf-8"), "run `make docs`"

"""The outputs in ``docs/cli.md`` are real."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_cli_md_is_up_to_date(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = runpy.run_path(str(ROOT / "docs" / "make_cli.py"))["page"]
    assert page() == (ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), "run `make docs`"

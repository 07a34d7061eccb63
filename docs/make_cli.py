"""Put real outputs under the commands that pages show: ``python docs/make_cli.py``."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from arenite.cli import app

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```console\n\$ arenite (?P<arguments>.*)\n(?P<output>(?:.*\n)*?)```$", re.M)
TIME = re.compile(r"^time  .*", re.M)


def page(path: Path) -> str:
    """A page with today's outputs, made in the repository's folder; times are left alone."""
    return BLOCK.sub(_block, path.read_text(encoding="utf-8"))


def _block(match: re.Match[str]) -> str:
    arguments = shlex.split(match["arguments"])
    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "80", "NO_COLOR": "1"})
    output = result.stdout + result.stderr
    if arguments[0] == "run" and (old := TIME.search(match["output"])) is not None:
        output = TIME.sub(old[0], output)
    return f"```console\n$ arenite {match['arguments']}\n{output}```"


if __name__ == "__main__":
    os.chdir(ROOT)
    for one in PAGES:
        one.write_text(page(one), encoding="utf-8")

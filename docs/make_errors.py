"""Put the real messages under the lines of ``errors.md``: ``python docs/make_errors.py``."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import Any

import arenite as ar

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "errors.md"
BLOCKS = re.compile(
    r"^```python\n(?P<code>(?:.*\n)*?)```\n(?P<shown>\n```text\n(?:.*\n)*?```\n)?", re.M
)


def page() -> str:
    """The page with today's messages, made in the repository's folder."""
    space: dict[str, Any] = {}

    def with_message(match: re.Match[str]) -> str:
        try:
            message = _message(match["code"], space)
        finally:
            ar.set_memory_limit(None)  # what the environment says counts again
        if (match["shown"] is None) != (message is None):
            raise AssertionError(f"a message is shown where none is raised: {match['code']}")
        shown = "" if message is None else f"\n```text\n{message}\n```\n"
        return f"```python\n{match['code']}```\n{shown}"

    return BLOCKS.sub(with_message, PAGE.read_text(encoding="utf-8"))


def _message(code: str, space: dict[str, Any]) -> str | None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            exec(compile(code, PAGE.name, "exec"), space)
        except (ar.AreniteError, Warning) as error:
            return f"{type(error).__name__}: {error}"
    return None


if __name__ == "__main__":
    os.chdir(ROOT)
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")

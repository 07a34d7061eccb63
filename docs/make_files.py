"""Write ``files.md``, all modules by their first sentences: ``python docs/make_files.py``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "arenite"
PAGE = ROOT / "docs" / "files.md"
#: Rooms with one file per operator, command or board: a row for the folder says it.
ALIKE = ("ops/tflite", "ops/signal", "ops/custom", "mnn/operators")
HEAD = """\
# Files

Every module of `src/arenite` by the first sentence of its docstring. `make docs` writes this page;
[architecture.md](architecture.md) is the map. C sources are in [engine.md](engine.md), operators in
[operators.md](operators.md).
"""


def page() -> str:
    """The page as of today's sources."""
    return HEAD + "".join(f"\n{section}" for section in _sections())


def _sections() -> Iterator[str]:
    folders = sorted({path.parent for path in PACKAGE.rglob("*.py")})
    for folder in folders:
        name = folder.relative_to(PACKAGE).as_posix()
        if name in ALIKE:
            continue
        rows = [f"| `{path.name}` | {_first_sentence(path)} |" for path in _modules(folder)]
        title = "The package itself" if name == "." else f"`{name}/`"
        if rows:
            yield "\n".join([f"## {title}\n", "| file | what it is |", "|---|---|", *rows, ""])


def _modules(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")


def _first_sentence(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return paragraph.replace("``", "").replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")

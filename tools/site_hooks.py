"""What the website has besides `docs/`: the files that pages link to, the README among them.

Pages are written for the forge, with links relative to the repository. A link out of `docs/`
leads to a copy below `repository/`; a link to a folder leads to the README in it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
COPIES = "repository"
#: Pages outside of docs/ that the site has in any case.
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
LINK = re.compile(r"(?<=\]\()(?!https?:|#|mailto:)(?P<path>[^)#\s]+)(?P<rest>#[^)\s]*)?(?=\))")


def on_files(files: Files, config: Any) -> Files:
    """Add the home page, and what pages link to outside of docs/."""
    sources = [*DOCS.rglob("*.md"), *(ROOT / page for page in PAGES)]
    outside = {one for source in sources for one in targets(source) if DOCS not in one.parents}
    for path in sorted(outside | {ROOT / page for page in PAGES}):
        if path.exists():
            level = (
                InclusionLevel.INCLUDED
                if path.parent == ROOT and path.name in PAGES
                else InclusionLevel.NOT_IN_NAV
            )
            copy = File.generated(config, place(path), abs_src_path=str(path), inclusion=level)
            files.append(copy)
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """A page's links as they are on the site."""
    source = Path(page.file.abs_src_path)
    here = Path(page.file.src_uri).parent

    def moved(link: re.Match[str]) -> str:
        to = place(target(source, link["path"]))
        return Path(os.path.relpath(to, here)).as_posix() + (link["rest"] or "")

    return LINK.sub(moved, markdown)


def targets(source: Path) -> list[Path]:
    """What a page links to in the repository."""
    text = source.read_text(encoding="utf-8")
    return [target(source, link["path"]) for link in LINK.finditer(text)]


def target(source: Path, link: str) -> Path:
    """The file that a link on a page leads to."""
    path = (source.parent / link).resolve()
    return path / "README.md" if path.is_dir() else path


def place(path: Path) -> str:
    """Where a file of the repository is on the site."""
    if DOCS in path.parents:
        return path.relative_to(DOCS).as_posix()
    return f"{COPIES}/{path.relative_to(ROOT).as_posix()}"

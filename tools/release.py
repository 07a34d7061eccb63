"""What a release needs besides `make wheels`: ``python tools/release.py COMMAND``.

``tag v0.1.0``
    Fails unless the tag is the version of ``pyproject.toml`` and of ``arenite.__version__``.
``address URL``
    Writes the one thing that the sources do not know, where they are published: links of the
    README, which a package index shows, become absolute, and ``pyproject.toml`` gets its
    ``[project.urls]``. Both files are changed in place, in a checkout that is built from.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?P<image>!?)\[(?P<text>[^\]]*)\]\((?!https?:|#|mailto:)(?P<path>[^)\s]+)\)")
VERSION = re.compile(r'^(?:__version__|version) = "([^"]+)"', re.M)


def versions(root: Path) -> dict[str, str]:
    """Who says which version."""
    files = ("pyproject.toml", "src/arenite/__init__.py")
    found = {}
    for name in files:
        match = VERSION.search((root / name).read_text(encoding="utf-8"))
        found[name] = match[1] if match else "none"
    return found


def tag_is_wrong(tag: str, root: Path = ROOT) -> str:
    """What is wrong with a tag; empty if it is the version that all say."""
    said = versions(root)
    wrong = [f"{name} says {version}" for name, version in said.items() if tag != f"v{version}"]
    return (
        f"expected the tag v{said['pyproject.toml']}, got {tag}: {', '.join(wrong)}"
        if wrong
        else ""
    )


def absolute(text: str, url: str, ref: str = "HEAD") -> str:
    """A page whose relative links lead to files of a repository; images to their bytes."""

    def moved(match: re.Match[str]) -> str:
        kind = "raw" if match["image"] else "blob"
        path = match["path"].removeprefix("./")
        return f"{match['image']}[{match['text']}]({url.rstrip('/')}/{kind}/{ref}/{path})"

    return LINK.sub(moved, text)


def with_urls(pyproject: str, url: str) -> str:
    """``pyproject.toml`` with its ``[project.urls]``."""
    if "[project.urls]" in pyproject:
        return pyproject
    base = url.rstrip("/")
    lines = [
        "[project.urls]",
        f'Source = "{base}"',
        f'Issues = "{base}/issues"',
        f'Changelog = "{base}/blob/HEAD/CHANGELOG.md"',
    ]
    return pyproject.replace("[project.scripts]", "\n".join([*lines, "", "[project.scripts]"]), 1)


def main(arguments: list[str]) -> int:
    """The exit code: 1 if a tag is wrong, 2 for wrong usage."""
    match arguments:
        case ["tag", tag]:
            wrong = tag_is_wrong(tag)
            print(wrong or f"{tag} is the version")
            return 1 if wrong else 0
        case ["address", url] if re.fullmatch(r"https://[\w./-]+", url):
            tag = f"v{versions(ROOT)['pyproject.toml']}"
            for name, change in (
                ("README.md", lambda text: absolute(text, url, tag)),
                ("pyproject.toml", lambda text: with_urls(text, url)),
            ):
                file = ROOT / name
                file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
            return 0
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

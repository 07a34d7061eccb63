"""What may be missing is missing for the tests that need it alone: their modules skip.

``pytest.importorskip(NAME)`` at the top of a test module, before the first import that reaches what
may be missing, is the one way to say it. Imports are read, not run: what is installed here decides
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
#: Where names begin; the example's scripts import each other by theirs, a test runs those in docs.
PLACES = (ROOT / "src", ROOT, ROOT / "examples" / "digits", ROOT / "docs")
ENGINE = "arenite.native._engine"
OPTIONAL = (
    *(ENGINE, "PIL", "ai_edge_litert", "tflite_micro", "MNN"),
    *("unicorn", "ziglang", "elftools", "vl_convert", "sklearn", "onnx", "ethosu", "selenium"),
)
TEXTS = re.compile(r'"""[\s\S]*?"""')
#: At the beginning of a line: what is indented runs later, or is tried.
LINE = re.compile(
    r"^from (?P<module>[\w.]+) import (?P<names>\([^)]*\)|[^\n]*)"
    r"|^import (?P<modules>[\w., ]+)"
    r'|^[^\s#][^\n]*importorskip\(\s*"(?P<skips>[\w.]+)"'
    r"|^    for \w+ in \((?P<scripts>[^)]*make_\w+\.py[^)]*)\)$",  # no statement: that ends in ":"
    re.MULTILINE,
)


@cache
def file_of(name: str) -> Path | None:
    for place in PLACES:
        path = place.joinpath(*name.split("."))
        for file in (path / "__init__.py", path.with_suffix(".py")):
            if file.is_file():
                return file
    return None


def imports(text: str) -> Iterator[tuple[str, str]]:
    """``("import", name)`` of every module that may be loaded, and ``("skip", name)``, in order."""
    for found in LINE.finditer(TEXTS.sub("''", text)):
        if found["skips"]:
            yield "skip", found["skips"]
            continue
        if found["scripts"]:
            yield from (("import", name) for name in re.findall(r"make_\w+", found["scripts"]))
            continue
        module = found["module"]
        names = re.findall(r"[\w.]+(?: as \w+)?", found["names"] or found["modules"])
        for name in (one.split(" ")[0] for one in names):
            full = f"{module}.{name}" if module else name
            parts = full.split(".")
            yield from (("import", ".".join(parts[:end])) for end in range(1, len(parts) + 1))


@cache
def loads(file: Path) -> tuple[tuple[str, str], ...]:
    return tuple(dict.fromkeys(imports(file.read_text("utf-8"))))


@cache
def reaching(optional: str) -> frozenset[Path]:
    """Files of which the import fails where ``optional`` is missing."""
    users: dict[Path, set[Path]] = {}
    found: set[Path] = set()
    for place in (
        *PLACES[0].rglob("*.py"),
        *PLACES[2].glob("*.py"),
        *PLACES[3].glob("*.py"),
        *(ROOT / "tests").rglob("*.py"),
    ):
        for kind, name in loads(place):
            if name == optional or (kind == "skip" and name.startswith(f"{optional}.")):
                if kind == "import":
                    found.add(place)
                break
            # A skip for a module of ours is no other: what fails inside of it is an error.
            if file := file_of(name):
                users.setdefault(file, set()).add(place)
    waiting = list(found)
    while waiting:
        for user in users.get(waiting.pop(), set()) - found:
            found.add(user)
            waiting.append(user)
    return frozenset(found)


@pytest.mark.parametrize("optional", OPTIONAL)
def test_a_test_module_skips_without(optional: str) -> None:
    failing = [
        str(file.relative_to(ROOT))
        for file in reaching(optional)
        if file.is_relative_to(ROOT / "tests") and file.name.startswith(("test_", "conftest"))
    ]
    assert sorted(failing) == [], f'expected pytest.importorskip("{optional}") above the imports'


def test_what_may_be_missing_is_found() -> None:
    """The reader of imports sees them through modules, and stops where a module skips."""
    engine = reaching(ENGINE)
    assert ROOT / "src/arenite/native/engine.py" in engine
    assert ROOT / "src/arenite/native/program.py" in engine
    assert ROOT / "src/arenite/runtime/interpreter.py" not in engine
    assert ROOT / "tests/runtime/test_npu_steps.py" not in engine
    assert list(imports('"""\nimport x\n"""\nfrom a.b import (\n    c,\n)\n    import d\n')) == [
        ("import", "a"),
        ("import", "a.b"),
        ("import", "a.b.c"),
    ]

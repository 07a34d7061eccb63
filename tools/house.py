"""Counts what a change in the sources costs: ``python tools/house.py [--json]``.

Files that name a builtin operator or a core, folders and their imports of each other, circles of
files, lines by room, lines of C in Python strings. Everything is read from the sources with
``ast``; nothing is imported but the names of operators and cores.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from arenite.cores import CORES
from arenite.ops.registry import builtin_names

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "arenite"
#: A string of more lines than this that looks like C is a template.
LONGEST_TEMPLATE = 5
_WORD = re.compile(r"[\w-]+")
_C = re.compile(r";\s*$|^\s*#(?:include|define|if)|\{\s*$", re.MULTILINE)

Graph = dict[str, set[str]]


def main() -> None:
    """Print all counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON")
    facts = counts()
    if parser.parse_args().json:
        print(json.dumps(facts, indent=1))
        return
    for name, value in facts.items():
        print(f"{name:38} {value if not isinstance(value, dict) else ''}".rstrip())
        if isinstance(value, dict):
            for part, number in value.items():
                print(f"    {part:34} {number:>8,}")


def counts() -> dict[str, Any]:
    """All that is counted, by name."""
    files = sorted(PACKAGE.rglob("*.py"))
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in files}
    words = {path: set(_WORD.findall(" ".join(strings_in(tree)))) for path, tree in trees.items()}
    builtins = [sum(name in found for found in words.values()) for name in builtin_names()]
    names = [core for core in CORES if core != "host"]
    graph = imports_of(trees)
    rooms = {path.parent for path in files}
    return {
        "files that name a builtin, median": median(builtins),
        "files that name a builtin, most": max(builtins),
        "files that name a core": sum(bool(found & set(names)) for found in words.values()),
        "rooms": len(rooms),
        "imports between rooms": len(between_rooms(graph)),
        "pairs of rooms that import each other": len(mutual(between_rooms(graph))),
        "circles of files": len(circles(graph)),
        "lines of C in strings": sum(map(lines_of_c, trees.values())),
        "lines by room": lines_by_room(),
    }


def strings_in(tree: ast.AST) -> Iterator[str]:
    """Strings that are no docstrings."""
    loose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in loose:
            yield node.value


def lines_of_c(tree: ast.AST) -> int:
    """Lines of strings that are templates of C or assembly."""
    texts = [text for text in strings_in(tree) if text.count("\n") > LONGEST_TEMPLATE]
    return sum(text.count("\n") for text in texts if _C.search(text))


def imports_of(trees: dict[Path, ast.Module]) -> Graph:
    """Modules that a module imports, in its functions too."""
    # The compiled module has a stub alone; it imports nothing.
    known = {module_of(path) for path in [*trees, *PACKAGE.rglob("*.pyi")]}
    graph: Graph = {}
    for path, tree in trees.items():
        module = module_of(path)
        found = {one for node in ast.walk(tree) for one in imported(node, known)}
        graph[module] = found - {module}
    return graph


def imported(node: ast.AST, known: set[str]) -> Iterator[str]:
    """Modules of the package that a statement imports; none of what is no import."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            if name in known or node.module in known:
                yield name if name in known else node.module


def module_of(path: Path) -> str:
    """``src/arenite/ops/rows.py`` -> ``arenite.ops.rows``."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def between_rooms(graph: Graph) -> set[tuple[str, str]]:
    """Pairs of folders, of which the first imports from the second."""
    pairs = {(room_of(a), room_of(b)) for a, others in graph.items() for b in others}
    return {(a, b) for a, b in pairs if a != b}


def room_of(module: str) -> str:
    """The folder that a module lies in; a file at the top is a room of its own."""
    place = PACKAGE.parent.joinpath(*module.split("."))
    folder = module.rpartition(".")[0]
    return module if place.is_dir() or folder == PACKAGE.name else folder


def mutual(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Pairs that import each other, once each."""
    return {(a, b) for a, b in pairs if (b, a) in pairs and a < b}


def circles(graph: Graph) -> list[set[str]]:
    """Sets of modules that import each other, directly or not."""
    reached = {module: closure(graph, module) for module in graph}
    found: dict[frozenset[str], set[str]] = {}
    for module, others in reached.items():
        if module in others:
            circle = {one for one in others if module in reached.get(one, set())}
            found[frozenset(circle)] = circle
    return list(found.values())


def closure(graph: Graph, start: str) -> set[str]:
    """All that a module imports, and what that imports."""
    seen: set[str] = set()
    todo: Iterable[str] = graph.get(start, ())
    while todo := set(todo) - seen:
        seen |= todo
        todo = {more for one in todo for more in graph.get(one, ())}
    return seen


def lines_by_room() -> dict[str, int]:
    """Lines of code files by their folder under ``src`` and ``csrc``, two levels deep."""
    lines: Counter[str] = Counter()
    for base in (PACKAGE, ROOT / "csrc"):
        for path in base.rglob("*"):
            if path.suffix in (".py", ".pyi", ".c", ".h", ".s", ".S"):
                room = "/".join(path.relative_to(base.parent).parts[:2])
                lines[room] += len(path.read_text(encoding="utf-8").splitlines())
    return dict(sorted(lines.items())) | {"in all": lines.total()}


if __name__ == "__main__":
    main()

"""TFLM's sources that a kernel, or a model's firmware, needs: what files include, and so on.

TFLM has no list of what an operator is made of. But a function that ``conv.h`` declares is in
``conv.cc`` or ``conv_common.cc``, CMSIS-NN's variant in a folder of its name, so headers lead to
sources. ``micro_mutable_op_resolver.h`` includes the headers of all kernels, and is not followed.
What is defined behind another header (``rfft_int16.cc`` behind ``rfft.h``) is found by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from arenite.errors import KernelBuildError
from arenite.files import read_source
from arenite.kernels.tree import Tree

_KERNELS = Path("tensorflow/lite/micro/kernels")
RESOLVER = Path("tensorflow/lite/micro/micro_mutable_op_resolver.h")
_BEGIN = ("tensorflow/lite/micro/micro_interpreter.h", "tensorflow/lite/micro/micro_utils.h")
#: What the board's own program has instead, and what includes everything.
_OWN = ("debug_log", "micro_time", "system_setup", "micro_mutable_op_resolver", "micro_ops")
#: What is not for static memory: some of 2024 and 2025 cannot be compiled with it.
_NOT_STATIC = ("array",)
_LEFT = (*_OWN, *_NOT_STATIC)
_INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"', re.M)
_REGISTRATION = re.compile(r"\b(Register_\w+)\s*\(\s*\)\s*\{")
_USES_CMSIS_NN = "arm_nnfunctions.h"
_SUFFIXES = (".cc", ".cpp", ".c")
#: Where names are looked for that no header leads to.
_SEARCHED = ("tensorflow", "signal")
#: So many sources are taken for a function of whose name there are several, in no order.
_MOST = 4
#: What is no part of TFLM on this host there: other processors', tests, tools.
_ELSEWHERE = re.compile(
    r"_test\b|/testing/|/tools/|/examples/|/benchmarks/|/python/|/cortex_m|/integration_tests/"
    r"|/(?:micro|signal/micro)/kernels/[^/]+/|/micro/[a-z0-9_]+/(?:debug_log|micro_time|system_setup)"
)


def sources_for(tree: Tree, calls: Sequence[str], own: Sequence[Path] = ()) -> list[Path]:
    """The sources that a resolver with these lines needs, CMSIS-NN's with them.

    Args:
        tree: TFLM's sources.
        calls: Lines such as ``resolver.AddConv2D()``.
        own: A user's files; what they define is not looked for, what they include is.

    Raises:
        KernelBuildError: The tree has no kernel for an operator; names them all.
    """
    waiting = _kernels(tree, calls, own)
    for name in _BEGIN:
        waiting += _of_include(tree, name, "cmsis_nn")
    found = _followed(tree, waiting, "cmsis_nn")
    mine = {path.resolve() for path in own}
    defined = {name for path in own for name in _registrations(path)}
    # A user's copy of a kernel takes the place of the tree's.
    found = [p for p in found if p.resolve() not in mine and not defined & _registrations(p)]
    needs_cmsis_nn = any(_USES_CMSIS_NN in read_source(path) for path in found)
    return [*found, *(_cmsis_nn(tree) if needs_cmsis_nn or not own else ())]


def _registrations(path: Path) -> set[str]:
    """The functions that a file defines and that give registrations."""
    return set(_REGISTRATION.findall(read_source(path)))


def sources_beside(tree: Tree, files: Iterable[Path]) -> list[Path]:
    """The sources behind the tree's headers among these files, and so on."""
    waiting: list[Path] = []
    for path in files:
        if path.is_relative_to(tree.root):
            waiting += _of_include(tree, path.relative_to(tree.root).as_posix(), "")
    return _followed(tree, waiting, "")


def sources_that_define(
    tree: Tree, symbols: Iterable[str], likely: Sequence[Path] = ()
) -> list[Path]:
    """The sources that define functions, given as a linker names them.

    Where several define one of a name, those that are ``likely`` are meant, if any of them is.
    """
    spelled = [re.split(r"[(<\[]", symbol)[0].strip().split("::") for symbol in symbols]
    names = {parts[-1] for parts in spelled if parts[-1].isidentifier()}
    if not names:
        return []
    wanted = "|".join(map(re.escape, sorted(names)))
    # A table of virtual functions is where the first of them is: ``Class::Function(...) {``.
    head = rf"\b({wanted})(?:::\w+)?\s*"
    defined = re.compile(rf"{head}(?:\([^;{{}}]*\)[\w\s]*(?::[^;{{}}]*)?\{{|(?:\[[^\]]*\]\s*)?=)")
    found: dict[str, list[Path]] = {}
    # What includes a C file within a namespace defines all that is in there.
    spaces = {parts[-2] for parts in spelled if len(parts) == 2}
    wrapped = re.compile(rf"\bnamespace\s+(?:{'|'.join(sorted(spaces)) or '$^'})\s*\{{\s*#include")
    for path in _searched(tree):
        text = read_source(path)
        for name in set(defined.findall(text)):
            found.setdefault(name, []).append(path)
        if wrapped.search(_without_comments(text)):
            found.setdefault(str(path), [path])
    chosen = set[Path]()
    for paths in found.values():
        chosen.update([path for path in paths if path in likely] or paths[:_MOST])
    return sorted(chosen)


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)


def parser_of(tree: Tree, operator: str) -> str:
    """The function that reads a builtin operator's options; empty where the tree has none."""
    added = re.compile(rf"BuiltinOperator_{operator},[^;]*?\b(Parse\w+)")
    found = added.search(tree.text(RESOLVER))
    return found.group(1) if found else ""


def _searched(tree: Tree) -> Iterator[Path]:
    for folder in _SEARCHED:
        for path in sorted((tree.root / folder).rglob("*.c*")):
            if path.suffix in _SUFFIXES and not _ELSEWHERE.search(path.as_posix()):
                yield path


def _followed(tree: Tree, waiting: list[Path], variant: str) -> list[Path]:
    """The sources among these files and those that their includes lead to."""
    seen, found = set[Path](), set[Path]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        if path.suffix in _SUFFIXES:
            found.add(path)
        for name in _INCLUDE.findall(read_source(path)):
            waiting += _of_include(tree, name, variant)
    return sorted(found)


def _of_include(tree: Tree, name: str, variant: str) -> Iterator[Path]:
    """A header of TFLM's and the sources beside it; nothing of third parties."""
    name = name.removeprefix(tree.prefix)
    header = tree.root / name
    stem = header.stem
    if not name.startswith(("tensorflow/", "signal/")) or stem in _LEFT or not header.is_file():
        return
    yield header
    folder = header.parent
    own = (
        (variant and _first(folder / variant, stem))
        or _first(folder, stem)
        or _first(folder / "reference", stem)
    )
    yield from (path for path in (own, _first(folder, f"{stem}_common")) if path)


def _first(folder: Path, stem: str) -> Path | None:
    files = (folder / f"{stem}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in files if path.is_file()), None)


def _kernels(tree: Tree, calls: Sequence[str], own: Sequence[Path]) -> list[Path]:
    """The sources of the functions that these lines register, a user's own first."""
    text = read_source(tree.root / RESOLVER)
    folders = (_KERNELS / "cmsis_nn", _KERNELS, Path("signal/micro/kernels"))
    files = [path for folder in folders for path in sorted((tree.root / folder).glob("*.c*"))]
    texts = {path: read_source(path) for path in own}
    texts |= {path: read_source(path) for path in files if "_test" not in path.stem}
    found, missing = [*own], []
    for call in calls:
        wanted = _registered(text, call)
        defined = re.compile(rf"\b{wanted}\s*\(\s*\)\s*\{{")
        path = next((path for path, source in texts.items() if defined.search(source)), None)
        if wanted == "" or path is None:
            missing.append(call)
        else:
            found.append(path)
    if missing:
        raise KernelBuildError(f"'{tree.root}' has no kernels for {', '.join(missing)}")
    return found


def _registered(resolver: str, call: str) -> str:
    """The function that a line registers; empty if there is none."""
    direct = re.search(r"Register_\w+", call)
    if direct:
        return direct.group()
    method = re.search(r"Add\w+", call)
    begin = resolver.find(f" {method.group()}(") if method else -1
    named = re.search(r"Register_\w+", resolver[begin : resolver.find("\n  }", begin)])
    return named.group() if begin >= 0 and named else ""


def _cmsis_nn(tree: Tree) -> list[Path]:
    """All of CMSIS-NN but for floats, which TFLM does not call."""
    assert tree.cmsis_nn is not None  # a board's tree has it
    files = sorted((tree.cmsis_nn / "Source").rglob("*.c"))
    return [path for path in files if not path.stem.endswith(("_f16", "_f32", "_flt"))]

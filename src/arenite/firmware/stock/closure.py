"""Which of TFLM's sources a model's firmware needs: what its operators include, and so on.

TFLM has no list of what an operator is made of. But a function that ``conv.h`` declares is in
``conv.cc`` or ``conv_common.cc``, CMSIS-NN's variant in a folder of its name, so headers lead to
sources. ``micro_mutable_op_resolver.h`` includes the headers of all kernels, and is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from arenite.errors import BoardError
from arenite.firmware.stock.tree import Tree

_KERNELS = Path("tensorflow/lite/micro/kernels")
_RESOLVER = Path("tensorflow/lite/micro/micro_mutable_op_resolver.h")
_BEGIN = ("tensorflow/lite/micro/micro_interpreter.h", "tensorflow/lite/micro/micro_utils.h")
#: What the board's own program has instead, and what includes everything.
_OWN = ("debug_log", "micro_time", "system_setup", "micro_mutable_op_resolver", "micro_ops")
_INCLUDE = re.compile(r'^\s*#include\s+"([^"]+)"', re.M)
_SUFFIXES = (".cc", ".cpp", ".c")


def sources_for(tree: Tree, calls: Sequence[str]) -> list[Path]:
    """The sources that a resolver with these lines needs, CMSIS-NN's with them.

    Args:
        tree: TFLM's sources.
        calls: Lines such as ``resolver.AddConv2D()``.

    Raises:
        BoardError: The tree has no kernel for an operator; names them all.
    """
    waiting = _kernels(tree, calls)
    for name in _BEGIN:
        waiting += _of_include(tree, name)
    seen, found = set[Path](), set[Path]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        if path.suffix in _SUFFIXES:
            found.add(path)
        for name in _INCLUDE.findall(path.read_text(errors="replace")):
            waiting += _of_include(tree, name)
    return [*sorted(found), *_cmsis_nn(tree)]


def _of_include(tree: Tree, name: str) -> Iterator[Path]:
    """A header of TFLM's and the sources beside it; nothing of third parties."""
    header = tree.root / name
    stem = header.stem
    if not name.startswith(("tensorflow/", "signal/")) or stem in _OWN or not header.is_file():
        return
    yield header
    folder = header.parent
    own = (
        _first(folder / "cmsis_nn", stem)
        or _first(folder, stem)
        or _first(folder / "reference", stem)
    )
    yield from (path for path in (own, _first(folder, f"{stem}_common")) if path)


def _first(folder: Path, stem: str) -> Path | None:
    files = (folder / f"{stem}{suffix}" for suffix in _SUFFIXES)
    return next((path for path in files if path.is_file()), None)


def _kernels(tree: Tree, calls: Sequence[str]) -> list[Path]:
    """The sources of the functions that these lines register."""
    text = (tree.root / _RESOLVER).read_text(errors="replace")
    folders = (_KERNELS / "cmsis_nn", _KERNELS, Path("signal/micro/kernels"))
    files = [path for folder in folders for path in sorted((tree.root / folder).glob("*.c*"))]
    texts = {path: path.read_text(errors="replace") for path in files if "_test" not in path.stem}
    found, missing = [], []
    for call in calls:
        wanted = _registered(text, call)
        defined = re.compile(rf"\b{wanted}\s*\(\s*\)\s*\{{")
        path = next((path for path, source in texts.items() if defined.search(source)), None)
        if wanted == "" or path is None:
            missing.append(call)
        else:
            found.append(path)
    if missing:
        raise BoardError(f"'{tree.root}' has no kernels for {', '.join(missing)}")
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
    files = sorted((tree.cmsis_nn / "Source").rglob("*.c"))
    return [path for path in files if not path.stem.endswith(("_f16", "_f32", "_flt"))]

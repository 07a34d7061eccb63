"""Users' sources in an exported folder, which they are compiled in."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from arenite.errors import KernelBuildError
from arenite.files import read_file
from arenite.firmware.compiler.zig import Headers
from arenite.firmware.network.names import SOURCES
from arenite.kernels import cache
from arenite.kernels.build import Origin, Request
from arenite.kernels.tree import find_tree

_HEADERS = (".h", ".hh", ".hpp", ".inc")


def own_sources(origins: Iterable[Origin], files: Collection[str]) -> dict[str, str]:
    """The sources of users' kernels by name, with the headers that lie beside them.

    ``files`` are the names of what else is there.

    Raises:
        FileExistsError: There are two files of one name.
    """
    found: dict[str, str] = {}
    for request in {id(one.request): one.request for one in origins}.values():
        for path in _paths(request):
            if path.name in files or path.name in found:
                raise FileExistsError(
                    f"'{path}': there is another {SOURCES}/{path.name} in the folder"
                )
            found[path.name] = read_file(path).decode("utf-8")
    return found


def headers_of(origins: Iterable[Origin]) -> Headers:
    """Headers to compile these kernels against.

    Raises:
        KernelBuildError: They are written for several trees.
    """
    requests = [one.request for one in origins]
    trees = dict.fromkeys(one.tflm for one in requests)
    if len(trees) != 1:
        raise KernelBuildError(f"expected kernels for one TFLM, got {', '.join(map(str, trees))}")
    include = dict.fromkeys(path for one in requests for path in one.include)
    define = {name: value for one in requests for name, value in one.define.items()}
    return Headers(next(iter(trees)), (*include,), define)


def tree_folders(origins: Iterable[Origin]) -> list[str]:
    """The folders on the include path, as seen from TFLM's own."""
    tree = find_tree(headers_of(origins).tflm, needs_cmsis_nn=False)
    return [path.relative_to(tree.root).as_posix() for path in tree.includes]


def _paths(request: Request) -> list[Path]:
    """Its files, and what these include from their own folders."""
    files = [*request.files, *request.sources]
    kept = cache.find(request.key)
    folders = {path.resolve().parent for path in files}
    headers = [
        path.resolve() for path in (kept.inputs.files if kept else ()) if path.suffix in _HEADERS
    ]
    beside = (path for path in headers if path.parent in folders)
    return [*dict.fromkeys((*files, *beside))]

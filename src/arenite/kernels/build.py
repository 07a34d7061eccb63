"""A user's sources, compiled with the shim against the user's tree, as a library."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import astuple, dataclass, field
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from arenite.errors import KernelBuildError
from arenite.files import read_file, read_source, save
from arenite.kernels import cache
from arenite.kernels.closure import RESOLVER, parser_of, sources_beside, sources_that_define
from arenite.kernels.compiler import (
    C_FLAGS,
    FLAGS,
    LINES,
    Compiled,
    archive,
    compile_file,
    files_of,
    host_target,
    link,
    undefined,
)
from arenite.kernels.inputs import Inputs, environment_of, state_of
from arenite.kernels.symbols import Function, functions_in, named_function, one_for_each
from arenite.kernels.tree import TEXTS, Tree, find_tree
from arenite.model import BuiltinOperator
from arenite.processes.folders import scratch_folder

SHIM = Path(__file__).resolve().parent / "shim"
#: What TFLM is built with for a host, as its own package is.
_DEFINED = {
    "TF_LITE_STATIC_MEMORY": "1",
    "TF_LITE_DISABLE_X86_NEON": "1",
    "FLATBUFFERS_LOCALE_INDEPENDENT": "0",  # what its numbers as text need is not linked
}
#: Comes before everything of a kernel's and of TFLM's.
_FORCED = ("-include", str(SHIM / "forced.h"))
_COMPRESSION = "USE_TFLM_COMPRESSION"
#: Without it Edge Impulse's tree leaves out what kernels say.
_KEEPS_TEXTS = "EON_COMPILER_RUN"
#: How often the linker may be asked anew what it still lacks.
_ROUNDS = 12
#: How often a build begins anew whose files change meanwhile.
_TRIES = 3
#: Called with how many files are done, and of how many.
Progress = Callable[[int, int], object]
_CXX = ("std::", "operator new", "operator delete", "__cxa_", "vtable for __cxxabiv1")


@dataclass(frozen=True)
class Request:
    """Sources to compile, and the options.

    Attributes:
        files: Sources with registrations.
        tflm: The folder of the tree.
        sources: More sources, without registrations that count.
        include: More folders for includes, behind the tree's.
        define: Macros; None undefines one that Arenite would define.
        flags: More arguments of the compiler.
        names: The function for an operator, where its name does not say it.
        sanitize: Whether undefined behaviour ends the process with a report.
    """

    files: tuple[Path, ...]
    tflm: Path
    sources: tuple[Path, ...] = ()
    include: tuple[Path, ...] = ()
    define: Mapping[str, str | None] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    sanitize: bool = False

    @property
    def key(self) -> str:
        """The cache key of its products, without the contents of files."""
        parts = (*self.files, *self.sources), self.tflm, self.include, sorted(self.define.items())
        rest = self.flags, sorted(self.names.items()), self.sanitize
        around = environment_of(os.environ)
        return cache.key_of(*parts, *rest, _compiler(), host_target(), FLAGS, SHIM, around)


@dataclass(frozen=True)
class Origin:
    """Where a kernel is from: the function that gives its registration, and its sources."""

    function: Function
    request: Request


@dataclass(frozen=True)
class Built:
    """A library, and the function of every operator, in its order."""

    path: Path
    functions: dict[str, Function]


def build(request: Request, progress: Progress | None = None) -> Built:
    """The library of a request, from the cache if nothing has changed.

    Args:
        request: What to compile.
        progress: Called with how many files are compiled, and of how many as far as is known.

    Raises:
        KernelBuildError: A tree, the compiler or a function is missing, or a source is wrong.
    """
    for path in (*request.files, *request.sources):
        if not path.is_file():
            raise KernelBuildError(f"expected a C++ source, there is no file '{path}'")
    kept = cache.find(request.key)
    if kept is not None:
        with suppress(TypeError, AttributeError):
            return Built(kept.product, {name: Function(*row) for name, row in kept.notes.items()})
    for _ in range(_TRIES):
        with scratch_folder() as folder:
            built = _Build(request, folder, progress).built()
        if built is not None:
            return built
    raise KernelBuildError("the kernels, or what they include, change while they are compiled")


class _Build:
    """One build in a folder of its own."""

    def __init__(self, request: Request, folder: Path, progress: Progress | None = None) -> None:
        self._request, self._folder = request, folder
        self._objects: dict[Path, Path] = {}
        self._progress, self._done, self._known = progress, 0, 0
        self._tree = tree = find_tree(request.tflm, needs_cmsis_nn=False)
        #: Files that are read here, and what the compiler reads.
        self._inputs = Inputs({path: state_of(path) for path in _read_here(request, tree)})
        self._defines = defines = dict[str, str | None](_DEFINED)
        if "AK_COMPRESSION_KNOWN" in tree.defines:
            defines[_COMPRESSION] = "1"
        if _KEEPS_TEXTS in tree.text("tensorflow/lite/micro/micro_log.h"):
            defines[_KEEPS_TEXTS] = "1"
        defines |= request.define
        own = [f"-D{name}={value}" for name, value in defines.items() if value is not None]
        self._of_tree = [*own, *(f"-I{path}" for path in tree.includes)]
        self._arguments = [*self._of_tree, *(f"-I{path}" for path in request.include)]

    def built(self) -> Built | None:
        """The library; None where something has changed meanwhile."""
        request = self._request
        forced = [*_FORCED, *LINES]
        forced += ["-fsanitize=undefined"] if request.sanitize else []
        files = [*request.files, *request.sources]
        self._known += len(files) + 1  # and the shim
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            mine = [*threads.map(partial(self._compiled, more=[*forced, *request.flags]), files)]
        chosen = self._chosen(mine)
        shim = self._shim(chosen)
        objects = [*(one.object for one in mine), shim.object]
        library = self._linked(objects)
        for one in (*mine, shim):
            self._inputs.add(self._foreign(one.inputs))
        if not self._inputs.are_as_they_were():
            return None
        notes = {name: astuple(function) for name, function in chosen.items()}
        return Built(cache.keep(request.key, library, self._inputs, notes), chosen)

    def _foreign(self, inputs: Inputs) -> Inputs:
        """Those that do not lie in the build's own folder."""
        return Inputs(
            {path: one for path, one in inputs.files.items() if self._is_foreign(path)},
            {path: None for path in inputs.absent if self._is_foreign(path)},
        )

    def _is_foreign(self, path: Path) -> bool:
        return not path.is_relative_to(self._folder)

    def _advance(self) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._known)

    def _compiled(
        self, source: Path, more: Sequence[str] = (), arguments: Sequence[str] | None = None
    ) -> Compiled:
        """An object of a file, in a folder of its own: names of files may be alike."""
        into = Path(tempfile.mkdtemp(dir=self._folder))
        is_c = source.suffix == ".c"
        flags = C_FLAGS if is_c else (*FLAGS, f"-std={self._tree.standard}")
        if "-fsanitize=undefined" in more:  # which the other one would switch off, behind it too
            flags = tuple(flag for flag in flags if flag != "-fno-sanitize=all")
        chosen = self._arguments if arguments is None else arguments
        made = compile_file(source, [*flags, *chosen, *more], into)
        self._advance()
        return made

    # -- which functions are meant

    def _chosen(self, mine: Sequence[Compiled]) -> dict[str, Function]:
        """The function of every operator."""
        request = self._request
        texts = [read_source(path) for path in request.files]
        objects = [read_file(one.object) for one in mine[: len(request.files)]]
        found = functions_in(texts, objects)
        if request.names:
            return {
                name: named_function(found, function, request.files)
                for name, function in request.names.items()
            }
        if not found:
            files = ", ".join(f"'{path}'" for path in request.files)
            raise KernelBuildError(
                f"{files}: expected a function such as 'TFLMRegistration* Register_MY_OP()', "
                "got none"
            )
        return one_for_each(found, request.files)

    def _shim(self, chosen: Mapping[str, Function]) -> Compiled:
        generated = self._folder / "generated"
        generated.mkdir()
        save(generated / "generated.h", _generated(self._tree, chosen, self._defines).encode())
        return self._compiled(SHIM / "shim.cc", [f"-I{generated}", f"-I{SHIM}"])

    # -- what TFLM has to give

    def _linked(self, objects: list[Path]) -> Path:
        request, more = self._request, list[str]()
        if request.sanitize:
            more.append("-fsanitize=undefined")
        if self._tree.archive is not None:
            return self._last(objects, [str(self._tree.archive), *more])
        mine = {path.resolve() for path in (*request.files, *request.sources)}
        wanted: dict[Path, None] = {}
        said = ""
        for _ in range(_ROUNDS):
            library, said = link([*objects, *self._archives(wanted)], more, self._folder)
            if library is not None:
                return library
            lacking, has_cxx = undefined(said), "-lc++" in more
            if any(name.startswith(_CXX) for name in lacking) and "-lc++" not in more:
                more.append("-lc++")
            found = sources_that_define(self._tree, lacking, self._beside)
            new = [path for path in found if path not in wanted and path.resolve() not in mine]
            self._known += len(new)
            if not new and has_cxx == ("-lc++" in more):
                break
            wanted |= dict.fromkeys(new)
        raise KernelBuildError(_lacking(undefined(said), said), command=("zig", "cc", *more))

    @cached_property
    def _beside(self) -> list[Path]:
        """The sources beside the headers that the user's files and the shim include, and so on."""
        listed = (read_source(path) for path in self._folder.rglob("*.d"))
        return sources_beside(self._tree, (path for text in listed for path in files_of(text)))

    def _archives(self, wanted: Mapping[Path, None]) -> list[Path]:
        if not wanted:
            return []
        new = [source for source in wanted if source not in self._objects]
        with ThreadPoolExecutor(os.cpu_count() or 1) as threads:
            self._objects.update(zip(new, threads.map(self._support, new), strict=True))
        return [archive([*self._objects.values()], self._folder)]

    def _support(self, source: Path) -> Path:
        """An object of the tree's, from the cache if nothing has changed.

        A vendor's source may need a user's headers; what does not is the same for all kernels.
        """
        try:
            return self._support_with(source, self._of_tree)
        except KernelBuildError:
            if self._arguments == self._of_tree:
                raise
            return self._support_with(source, self._arguments)

    def _support_with(self, source: Path, arguments: list[str]) -> Path:
        flags = *FLAGS, self._tree.standard
        around = environment_of(os.environ)
        key = cache.key_of(source, arguments, flags, _compiler(), host_target(), around)
        kept = cache.find(key)
        if kept is not None:
            self._advance()
            self._inputs.add(kept.inputs)
            return kept.product
        made = self._compiled(source, _FORCED, arguments)
        self._inputs.add(made.inputs)
        return cache.keep(key, made.object, made.inputs)

    def _last(self, objects: Sequence[Path], more: list[str]) -> Path:
        """Linked with an archive: it has everything, or not."""
        said = ""
        for arguments in (more, [*more, "-lc++"]):
            library, said = link(objects, arguments, self._folder)
            if library is not None:
                return library
        raise KernelBuildError(_lacking(undefined(said), said))


def _read_here(request: Request, tree: Tree) -> list[Path]:
    """Files whose text decides what is built; the compiler may not read them."""
    texts = (tree.root / name for name in (*TEXTS, RESOLVER))
    archive_ = () if tree.archive is None else (tree.archive,)
    return [*request.files, *request.sources, *(one for one in texts if one.is_file()), *archive_]


def context_macros(tree: Tree) -> dict[str, str]:
    """Macros that tell ``shim/context.h`` about a tree."""
    return {"AK_NAMESPACE": tree.namespace, **dict.fromkeys(tree.defines, "1")}


def registration_type(tree: Tree) -> str:
    """The name of the type of registrations in a tree."""
    text = tree.text("tensorflow/lite/micro/micro_common.h")
    return "TFLMRegistration" if "TFLMRegistration" in text else "TfLiteRegistration"


def _generated(
    tree: Tree, chosen: Mapping[str, Function], defines: Mapping[str, str | None]
) -> str:
    """The header that says what tree and functions are called."""
    parsers = {
        name: parser_of(tree, name) if name in BuiltinOperator.__members__ else ""
        for name in chosen
    }
    lines = context_macros(tree) | {
        "AK_REGISTRATION": registration_type(tree),
        "AK_COUNT": str(len(chosen)),
        "AK_DECLARATIONS": " ".join(one.declaration for one in chosen.values()),
        "AK_ENTRIES": " ".join(
            f"AK_ENTRY({one.name}, {f'tree::{parsers[name]}' if parsers[name] else 'nullptr'})"
            for name, one in chosen.items()
        ),
        "AK_NAMES": ", ".join(f'"{name}"' for name in chosen),
    }
    if tree.archive is not None:
        lines["AK_ARCHIVE"] = "1"
    if any(parsers.values()):
        lines["AK_PARSERS"] = "1"
    if "AK_COMPRESSION_KNOWN" in tree.defines and defines.get(_COMPRESSION) is not None:
        lines["AK_COMPRESSION"] = "1"
    if os.name != "nt":
        lines["AK_GUARD"] = "1"
    return "".join(f"#define {name} {value}\n" for name, value in lines.items())


def _lacking(names: Sequence[str], said: str) -> str:
    if not names:
        return f"the kernel's library cannot be linked:\n{said[-4000:]}"
    return (
        f"nothing defines {', '.join(names[:10])}{' ...' if len(names) > 10 else ''}: expected it "
        "in the tree, or in a source among --source"
    )


def _compiler() -> str:
    """The compiler's version, without starting it."""
    try:
        return f"ziglang {version('ziglang')}"
    except PackageNotFoundError:
        return "ziglang"

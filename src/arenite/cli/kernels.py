"""``--kernels``: a user's own C++ kernels, compiled for the command; ``--isolate``: in a child."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.records import options_of

if TYPE_CHECKING:
    from arenite import Registration
    from arenite.firmware.compiler.zig import Headers
    from arenite.kernels.compile import Kernels
    from arenite.model import Model

_PANEL = "Your own C++ kernels"
#: Set in the child that ``--isolate`` starts.
_INSIDE = "ARENITE_ISOLATED"

Files = Annotated[
    list[Path] | None,
    typer.Option(
        "--kernels",
        metavar="FILE.cc",
        help="C++ with functions such as Register_MY_OP(), for the operators of these names; "
        "with --tflm.",
        rich_help_panel=_PANEL,
    ),
]
Named = Annotated[
    list[str] | None,
    typer.Option(
        "--kernel",
        metavar="NAME=FILE.cc:FUNCTION",
        help="The same, for an operator of another name.",
        rich_help_panel=_PANEL,
    ),
]
Tflm = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="The sources of TFLM that the kernels are written for.",
        rich_help_panel=_PANEL,
    ),
]
Sources = Annotated[
    list[Path] | None,
    typer.Option("--source", metavar="FILE", help="More sources.", rich_help_panel=_PANEL),
]
Include = Annotated[
    list[Path] | None,
    typer.Option(metavar="DIR", help="More folders of headers.", rich_help_panel=_PANEL),
]
Define = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME[=VALUE]", help="Macros.", rich_help_panel=_PANEL),
]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="Let them take the place of Arenite's.", rich_help_panel=_PANEL),
]
Sanitize = Annotated[
    bool,
    typer.Option(
        "--sanitize",
        help="Find undefined behaviour, and reads and writes behind tensors, in a process of "
        "its own.",
        rich_help_panel=_PANEL,
    ),
]
Isolate = Annotated[
    bool,
    typer.Option(
        "--isolate", help="Run the command in a process of its own.", rich_help_panel=_PANEL
    ),
]


@dataclass(frozen=True)
class KernelOptions:
    """Options of a command on a user's own kernels."""

    kernels: Files = None
    kernel: Named = None
    tflm: Tflm = None
    source: Sources = None
    include: Include = None
    define: Define = None
    replace: Replace = False
    sanitize: Sanitize = False
    isolate: Isolate = False

    @property
    def is_any(self) -> bool:
        """Whether there are kernels."""
        return bool(self.kernels or self.kernel)

    @property
    def macros(self) -> dict[str, str]:
        """Macros by name; one without a value is 1."""
        parts = (one.partition("=") for one in self.define or ())
        return {name: value if equals else "1" for name, equals, value in parts}

    def headers(self) -> Headers | None:
        """Headers to compile an exported folder's C++ against; None without ``--tflm``."""
        from arenite.firmware.compiler.zig import Headers

        include = tuple(Path(one).absolute() for one in self.include or ())
        return Headers(Path(self.tflm).absolute(), include, self.macros) if self.tflm else None

    def elsewhere(self) -> dict[str, Any]:
        """The same for a process that has another working folder, as JSON."""
        paths = {
            name: [str(Path(path).absolute()) for path in getattr(self, name) or ()]
            for name in ("kernels", "source", "include")
        }
        named = [
            f"{name}={Path(rest).absolute()}"
            for name, _, rest in (one.partition("=") for one in self.kernel or ())
        ]
        tflm = None if self.tflm is None else str(Path(self.tflm).absolute())
        return asdict(self) | paths | {"kernel": named, "tflm": tflm, "isolate": False}


#: Those of the command that runs.
_given: list[KernelOptions] = []


def given_kernels() -> KernelOptions:
    """Options of the command that runs."""
    return _given[-1] if _given else KernelOptions()


@contextmanager
def given(options: KernelOptions) -> Iterator[None]:
    """Run a command with these kernels.

    Raises:
        typer.BadParameter: They are not complete.
    """
    if options.is_any and not options.tflm:
        raise typer.BadParameter("expected --tflm PATH with --kernels", param_hint="--tflm")
    _given.append(options)
    try:
        yield
    finally:
        _given.pop()


def with_kernels(command: Callable[..., None]) -> Callable[..., None]:
    """A command with the options of users' kernels behind its own; one without ``ops`` as it is."""
    # Not get_type_hints: where None is the default, Python 3.10 loses an option's annotation there.
    signature = inspect.signature(command, eval_str=True)
    if "ops" not in signature.parameters:
        return command
    options = list(options_of(KernelOptions))
    added = [one for one in options if one.name not in signature.parameters]

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        chosen = KernelOptions(**{one.name: arguments[one.name] for one in options})
        for one in added:
            del arguments[one.name]
        if (chosen.isolate or chosen.sanitize) and not os.environ.get(_INSIDE):
            raise typer.Exit(_isolated())
        with given(chosen):
            command(**arguments)

    every = [*signature.parameters.values(), *added]
    run.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in every}
    return run


def compiled(options: KernelOptions) -> Kernels | None:
    """The kernels of these options, compiled; None where there are none.

    Raises:
        KernelBuildError: They do not compile.
        typer.BadParameter: An option is none.
    """
    if not options.is_any:
        return None
    from arenite.kernels.compile import compile_kernels

    files, names = list[str | Path](options.kernels or ()), dict[str, str]()
    for text in options.kernel or ():
        name, is_there, rest = text.partition("=")
        file, has_function, function = rest.rpartition(":")
        if not (is_there and has_function and name and file and function):
            raise typer.BadParameter(f"expected NAME=FILE.cc:FUNCTION, got {text!r}")
        names[name] = function
        if file not in map(str, files):
            files.append(file)
    return compile_kernels(
        *files,
        tflm=str(options.tflm),
        names=names or None,
        sources=options.source or (),
        include=options.include or (),
        define=options.macros,
        sanitize=options.sanitize,
        guard=options.sanitize,
    )


def for_model(kernels: dict[str, Registration], model: Model) -> dict[str, Registration]:
    """Kernels by the names that a model has.

    One kernel whose operator the model does not have is for the one operator that nobody knows.
    """
    from dataclasses import replace

    from arenite.ops import builtin

    names = {one.name for subgraph in model.subgraphs for one in subgraph.operators}
    unknown = [name for name in names if builtin(name) is None and name not in kernels]
    if len(kernels) != 1 or len(unknown) != 1 or names & set(kernels):
        return kernels
    (one,) = kernels.values()
    return {unknown[0]: replace(one, name=unknown[0])}


def _isolated() -> int:
    """The exit code of this command in a child, whose output is printed."""
    from arenite.processes.children import how_it_ended, run_module

    arguments = [one for one in sys.argv[1:] if one != "--isolate"]
    before = os.environ.get(_INSIDE)
    os.environ[_INSIDE] = "1"
    try:
        done = run_module("arenite.cli.isolated", *arguments, folder=Path.cwd(), timeout=None)
    finally:
        if before is None:
            del os.environ[_INSIDE]
    sys.stdout.write(done.out)
    sys.stderr.write(done.err)
    if done.code < 0 or done.code > 127:
        print(f"Error: the process of the kernels {how_it_ended(done.code)}", file=sys.stderr)
        return 1
    return done.code

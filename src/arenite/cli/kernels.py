"""``--kernels``: a user's own C++ kernels, compiled for the command, which then runs in a child.

A kernel is native code: it may end the process, with code 0 too, or have no end. So the command
that a person started runs none: it waits for a child, believes the exit code that the child has
written down as its last act (:mod:`arenite.processes.verdict`), and hears Ctrl-C at any time.
"""

from __future__ import annotations

import functools
import inspect
import io
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arenite.cli.process import end_without_reader
from arenite.cli.records import options_of
from arenite.processes.children import how_it_ended
from arenite.processes.verdict import EARLY, Crash

if TYPE_CHECKING:
    from arenite import Registration
    from arenite.firmware.compiler.zig import Headers
    from arenite.kernels.compile import Kernels
    from arenite.model import Model

_PANEL = "Your own C++ kernels"
#: When a library ended its process, as its shim says it.
_DURING = {"constructor": "in a constructor", "destructor": "in a destructor or exit handler"}
#: Seconds that ``--isolate`` and ``--sanitize`` allow.
_LIMIT = 600.0

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
        help="Find undefined behaviour, and reads and writes outside of tensors and buffers.",
        rich_help_panel=_PANEL,
    ),
]
Isolate = Annotated[
    bool,
    typer.Option(
        "--isolate",
        help=f"End the kernels' process after {_LIMIT:.0f} s, or as --time-limit says.",
        rich_help_panel=_PANEL,
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        min=0.01,
        metavar="SECONDS",
        help="End the kernels' process after so many seconds.",
        rich_help_panel=_PANEL,
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
    time_limit: TimeLimit = None

    @property
    def seconds(self) -> float | None:
        """Seconds that the kernels' process may take; None for any time."""
        is_limited = self.isolate or self.sanitize
        return self.time_limit or (_LIMIT if is_limited else None)

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


def with_kernels(command: Callable[..., None], *, always: bool = False) -> Callable[..., None]:
    """A command with the options of users' kernels behind its own; one without ``ops`` as it is.

    Where it is given kernels, or ``always`` has some, it runs in a child.
    """
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
        if (always or chosen.is_any) and not Child.is_inside:
            raise typer.Exit(_in_child(chosen.seconds))
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
        parts = re.fullmatch(r"(.+?):((?:\w+::)*\w+)", rest)
        if not (is_there and name and parts):
            raise typer.BadParameter(f"expected NAME=FILE.cc:FUNCTION, got {text!r}")
        file, function = parts.groups()
        names[name] = function
        if file not in map(str, files):
            files.append(file)
    with _build_progress() as progress:
        return compile_kernels(
            *files,
            tflm=str(options.tflm),
            names=names or None,
            sources=options.source or (),
            include=options.include or (),
            define=options.macros,
            sanitize=options.sanitize,
            guard=options.sanitize,
            progress=progress,
        )


@contextmanager
def _build_progress() -> Iterator[Callable[[int, int], None]]:
    """Say on standard error how far a build is, at most every few seconds without a terminal."""
    start = said = time.monotonic()
    is_terminal = sys.stderr.isatty()
    wait = 0.5 if is_terminal else 10.0

    def show(done: int, known: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said < wait:
            return
        said = now
        text = f"compiling kernels and TFLM: {done} of {known} files, {now - start:.0f} s"
        sys.stderr.write(f"\r{text}" if is_terminal else f"{text}\n")
        sys.stderr.flush()

    try:
        yield show
    finally:
        if is_terminal and said > start:
            print("\r" + " " * 78, end="\r", file=sys.stderr)


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


class Child:
    """Whether this process is the child, and what the command line's arguments are."""

    is_inside = False
    arguments: Sequence[str] = ()


def _in_child(seconds: float | None) -> int:
    """The exit code of this command in a child, which prints what it prints.

    Raises:
        KernelError: It ended without one, or took longer.
    """
    from arenite.errors import KernelError
    from arenite.processes.children import run_module

    module, shows = "arenite.cli.isolated", _is_process()
    try:
        done = run_module(module, *Child.arguments, folder=Path.cwd(), timeout=seconds, shows=shows)
    except TimeoutError:
        raise KernelError(
            f"the kernels' process took over {seconds:g} s and was ended: a loop without an end? "
            "--time-limit SECONDS allows more"
        ) from None
    sys.stdout.write(done.out)
    sys.stderr.write(done.err)
    if done.code == -getattr(signal, "SIGPIPE", 0):
        end_without_reader()
    if 0 <= done.code < EARLY:
        return done.code
    raise KernelError(_of_end(done.code, done.crash))


def _is_process() -> bool:
    """Whether what a child prints goes where this process's output goes."""
    try:
        return (sys.stdout.fileno(), sys.stderr.fileno()) == (1, 2)
    except (io.UnsupportedOperation, AttributeError, ValueError):
        return False


def _of_end(code: int, crash: Crash) -> str:
    """The end of a child without a verdict, in words, with the line where that is known."""
    from arenite.kernels.lines import first_line

    ended = f"the kernels' process {how_it_ended(code)}"
    if crash.when:
        where = first_line(crash.library, crash.places) if crash.places else ""
        said = " ".join(filter(None, (crash.words or "it crashed", where and f"({where})")))
        return f"{ended}: {_DURING.get(crash.when, crash.when)}: {said}"
    what = "a constructor of the kernels" if crash.stage == "loading" else "a kernel"
    return f"{ended}; {what} ended it, as by a system call, and could not be held up"

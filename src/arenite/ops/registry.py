"""Registrations of operators, and the resolvers that find them by name.

A namespace of operators is a folder: ``CONV_2D``, a builtin operator of the schema, lives in
``arenite/ops/tflite/conv_2d.py``; ``MNN_LRN``, which only ``.mnn`` files have, in
``mnn/operators/lrn.py``; ``SignalFramer``, a custom operator of the signal library, in
``ops/signal/signal_framer.py``; ``CIRCULAR_BUFFER`` and every other custom operator in
``ops/custom/``, a hyphen of its name as ``_``. The file holds the operator's ``REGISTRATION``,
which says the name where the file's does not. It is imported when a model first needs it; there
is no central table to edit.
Names of registrations and resolvers: TFLM ``micro_mutable_op_resolver.h``.
"""

from __future__ import annotations

import importlib
import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from types import ModuleType
from typing import Any, NamedTuple, Protocol

from arenite.memory.abi import Struct
from arenite.model import BuiltinOperator, Operator, OptionsTable
from arenite.ops.cases import Cases
from arenite.ops.constraints import Constraint
from arenite.ops.context import Array, Context, Node
from arenite.ops.overlap import Overlap
from arenite.ops.rows import Rows
from arenite.ops.scheme import Scheme
from arenite.ops.traits import NO_TRAITS, Traits
from arenite.wings import WINGS, wing_of


class NativeKernel(NamedTuple):
    """The compiled kernel that may run instead of an ``invoke``: same parameters, same bits.

    It checks no parameters: what another ``prepare`` makes may lead it out of bounds, and states
    that another ``init`` allocates are not those that it writes to.

    Attributes:
        invoke: What it may replace. A registration with another ``invoke`` runs that.
        name: Its name in the native engine; or what says it of a node that is prepared, and
            is empty where there is none for that node.
        prepare: What makes its parameters. A registration with another one runs ``invoke``.
        init: What runs before that, likewise.
        in_copy: A prepared node's parameters where an inference runs in a copy of the arena, given
            ``(node, arena, copy)``; None where they are the same, or nobody knows them.
        begins_anew: Lets every inference of a node begin with ``reset``, or none, given
            ``(user_data, is_so)``; None where only the caller can do that.
    """

    invoke: Callable[[Context, Node], None]
    name: str | Callable[[Node], str]
    prepare: Callable[[Context, Node], Any] | None = None
    init: Callable[[Context, Any], Any] | None = None
    in_copy: Callable[[Node, Array, Array], Any] | None = None
    begins_anew: Callable[[Any, bool], None] | None = None


@dataclass(frozen=True)
class Registration:
    """The functions of one operator (TFLM's ``TFLMRegistration``).

    Attributes:
        invoke: ``invoke(context, node)`` computes the outputs from the inputs.
        prepare: ``prepare(context, node)`` checks the node, computes everything that
            does not depend on data, asks for memory. What it returns becomes
            ``node.params``.
        init: ``init(context, options)`` runs once before ``prepare``; ``options`` is the
            operator's options row, or its custom options bytes. What it returns becomes
            ``node.user_data``.
        reset: ``reset(context, user_data)`` forgets state between inferences.
        free: ``free(context, user_data)`` ends the node's life.
        name: Set when registered; a custom operator's file says it, letter by letter.
        options: The operator's options row; None for custom operators.
        builtin_data: The C struct into which TFLM parses the options, in the arena.
        constraints: Checked before ``prepare``; see :mod:`arenite.ops.constraints`.
        overlap: How near above its lone output an input may begin; None where the output lies on
            no input. See :mod:`arenite.ops.overlap`.
        rows: Its parameters for several samples side by side; None where they cannot lie so, or
            nobody has said it. See :mod:`arenite.ops.rows`.
        native: The native engine's kernel; None where ``invoke`` always runs.
        strict: TFLM's rules are checked: temporary tensors and buffers are given back, scratch
            memory is not kept, fresh memory holds anything. With False, and for functions of
            Arenite's own, temporary memory comes back by itself and persistent is zeroed.
    """

    invoke: Callable[[Context, Node], None]
    prepare: Callable[[Context, Node], Any] | None = None
    init: Callable[[Context, Any], Any] | None = None
    reset: Callable[[Context, Any], None] | None = None
    free: Callable[[Context, Any], None] | None = None
    name: str = ""
    options: type[OptionsTable] | None = None
    builtin_data: Struct | None = None
    constraints: tuple[Constraint, ...] = ()
    overlap: Overlap | None = None
    rows: Rows | None = None
    native: NativeKernel | None = None
    strict: bool = True

    def checks(self, function: Callable[..., Any]) -> bool:
        """Whether TFLM's rules are checked of one of its functions: never of Arenite's own."""
        return self.strict and not is_arenites(function)

    def kernel_for(self, node: Node) -> str:
        """The native kernel that may run for a prepared node; empty if ``invoke`` has to."""
        native = self.native
        if native is None or native.invoke is not self.invoke:
            return ""
        if native.prepare is not self.prepare or native.init is not self.init:
            return ""
        return native.name if isinstance(native.name, str) else native.name(node)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # Constraints are closures, which do not pickle: Arenite's own go by name.
        if self == builtin(self.name):
            return builtin, (self.name,)
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        has = [
            part for part in ("init", "prepare", "invoke", "reset", "free") if getattr(self, part)
        ]
        return f"<Registration {self.name or 'without a name yet'}: {', '.join(has)}>"


def is_arenites(function: Callable[..., Any]) -> bool:
    """Whether a function is of a kernel that ships with Arenite, whoever registers it."""
    return (getattr(function, "__module__", None) or "").startswith(_KERNELS)


class OpResolver(Protocol):
    """Finds an operator's registration by name."""

    def find(self, name: str) -> Registration | None:
        """The registration of a builtin (``"CONV_2D"``) or custom name, or None."""


#: What the names of the custom operators of TFLM's signal library begin with.
SIGNAL_PREFIX = "Signal"
#: Where functions of Arenite's own kernels are defined.
_KERNELS = "arenite.ops.", *(f"arenite.{wing.name}.operators." for wing in WINGS)
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=1024)
def builtin(name: str) -> Registration | None:
    """The registration that ships with Arenite for an operator, or None."""
    place = module_name(name)
    module = None if place is None else _module(place)
    if module is None or _name_in(module) != name:
        return None
    registration: Registration = module.REGISTRATION
    own = registration
    native = NativeKernel(own.invoke, name, own.prepare, own.init)
    return replace(registration, name=name, native=native, strict=False)


@lru_cache(maxsize=1024)
def traits_of(name: str) -> Traits:
    """Traits as the operator's file states them; none of operators that are not Arenite's."""
    if builtin(name) is None:
        return NO_TRAITS
    place = module_name(name)
    assert place is not None  # there is a registration
    traits: Traits = getattr(_module(place), "TRAITS", NO_TRAITS)
    return traits


@lru_cache(maxsize=1024)
def scheme_of(name: str) -> Scheme | None:
    """The quantisation that the operator's file states; None where it says nothing."""
    if builtin(name) is None:
        return None
    place = module_name(name)
    assert place is not None  # there is a registration
    scheme: Scheme | None = getattr(_module(place), "SCHEME", None)
    return scheme


@lru_cache(maxsize=1024)
def cases_of(name: str) -> Cases | None:
    """Maker of random models of an operator, as its file states it; None where it does not."""
    place = module_name(name)
    module = None if place is None or builtin(name) is None else _module(place)
    found: Cases | None = getattr(module, "CASES", None)
    return found


def only_mnn_has(name: str) -> bool:
    """Whether an operator is one of Arenite's that only ``.mnn`` files have."""
    return wing_of(name) is not None and builtin(name) is not None


def takes_scratch(operator: Operator) -> bool:
    """Whether an operator may read what nobody writes, memory to work in.

    A user's own may; of Arenite's those whose operands were placed by a compiler.
    """
    return operator.is_custom and (builtin(operator.name) is None or places_operands(operator))


def places_operands(operator: Operator) -> bool:
    """Whether where an operator's operands lie is part of what it computes."""
    return operator.is_custom and traits_of(operator.name).operands_are_placed


def mnn_names() -> list[str]:
    """Names of all operators that only ``.mnn`` files have, sorted."""
    return sorted(chain.from_iterable(_names_in(f"{wing.name}.operators") for wing in WINGS))


def builtin_names() -> list[str]:
    """Names of all builtin operators that Arenite has, sorted."""
    return _names_in("ops.tflite")


def custom_names() -> list[str]:
    """Names of all custom operators of TFLM that Arenite has, sorted."""
    return sorted([*_names_in("ops.signal"), *_names_in("ops.custom")])


def module_name(name: str) -> str | None:
    """The module that an operator of that name would be in; None where it cannot be ours."""
    namespace, words = "ops.custom", name.replace("-", "_")
    if not words.isidentifier() or words.startswith("_"):
        return None
    if name in BuiltinOperator.__members__:
        namespace = "ops.tflite"
    elif name.startswith(SIGNAL_PREFIX):
        namespace = "ops.signal"
    elif wing := wing_of(name):
        namespace, words = f"{wing.name}.operators", name.removeprefix(wing.prefix)
    stem = _WORD.sub("_", words).lower()
    return f"arenite.{namespace}.{stem}{'_' if keyword.iskeyword(stem) else ''}"


def _name_in(module: ModuleType) -> str:
    """The name of the operator that a module holds."""
    registration: Registration = module.REGISTRATION
    _, room, _, stem = module.__name__.split(".")
    prefix = next((wing.prefix for wing in WINGS if wing.name == room), "")
    return registration.name or prefix + stem.rstrip("_").upper()


def _module(path: str) -> ModuleType | None:
    """A module, or None where there is none of that name, or no such namespace."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if not f"{path}.".startswith(f"{error.name}."):
            raise
        return None


def _names_in(namespace: str) -> list[str]:
    """The operators of a namespace, sorted."""
    import pkgutil  # noqa: PLC0415 - for lists and messages only

    package = _module(f"arenite.{namespace}")
    if package is None:
        return []
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    modules = (importlib.import_module(f"{package.__name__}.{name}") for name in names)
    return sorted(map(_name_in, modules))

"""Resolvers: which operators there are for a model, by name, as firmware lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from arenite.model import BuiltinOperator, Model
from arenite.ops.registry import Registration, builtin, builtin_names, custom_names, mnn_names
from arenite.options import optional, takes, text, whole


class MutableOpResolver:
    """A resolver with just the operators that were added to it, as firmware lists them.

    Args:
        size: How many operators it has room for, as ``MicroMutableOpResolver<size>`` says in
            C++; no limit without it.

    >>> resolver = MutableOpResolver(2).add("CONV_2D").add("SOFTMAX")
    """

    #: Whether it has every operator that there is, whatever a model becomes.
    is_whole = False

    @takes(size=optional(whole()))
    def __init__(self, size: int | None = None) -> None:
        if size is not None and size < 1:
            raise ValueError(f"size: expected a number of operators of at least 1, got {size}")
        self.size = size
        self._registrations: dict[str, Registration] = {}

    @takes(name=text)
    def add(self, name: str, registration: Registration | None = None) -> MutableOpResolver:
        """Add a builtin operator, with another registration than Arenite's if given.

        Raises:
            ValueError: The operator is there already, or is none that Arenite has, or the
                resolver is full.
        """
        if name in BuiltinOperator.__members__:
            registration = registration or builtin(name)
        if registration is None or name not in BuiltinOperator.__members__:
            raise ValueError(
                f"expected one of the builtin operators {', '.join(builtin_names())}, got "
                f"{name!r}; register a custom operator with add_custom(name, registration)"
            )
        return self._insert(name, registration)

    @takes(name=text)
    def add_custom(self, name: str, registration: Registration) -> MutableOpResolver:
        """Add a custom operator under the name that the model gives it.

        Raises:
            ValueError: An operator of that name is there already, or the resolver is full.
        """
        return self._insert(name, registration)

    def _insert(self, name: str, registration: Registration) -> MutableOpResolver:
        if not isinstance(registration, Registration):
            kind = type(registration).__name__
            raise TypeError(f"operator {name!r}: expected a Registration, got {kind}")
        if name in self._registrations:
            raise ValueError(f"operator {name!r} is registered already")
        if self.size is not None and len(self._registrations) >= self.size:
            raise ValueError(
                f"operator {name!r}: the resolver's size is too small: it has room for {self.size} "
                f"and holds {', '.join(self._registrations)}"
            )
        self._registrations[name] = _whole(name, registration)
        return self

    def find(self, name: str) -> Registration | None:
        """The registration added under ``name``, or None."""
        return self._registrations.get(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._registrations)

    def __len__(self) -> int:
        return len(self._registrations)

    def __contains__(self, name: object) -> bool:
        return name in self._registrations

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._registrations) or 'empty'})"


def _whole(name: str, registration: Registration) -> Registration:
    """The registration under its name; where it is the one in Arenite's file, as ``builtin``'s."""
    own, named = builtin(name), replace(registration, name=name)
    return own if own and named == replace(own, native=None, strict=True) else named


class AllOpsResolver(MutableOpResolver):
    """A resolver with every operator that Arenite has; custom ones can be added."""

    is_whole = True

    def __init__(self) -> None:
        super().__init__()

    def find(self, name: str) -> Registration | None:
        """The registration added under ``name``, else Arenite's own, or None."""
        return super().find(name) or builtin(name)

    def __iter__(self) -> Iterator[str]:
        own = [*builtin_names(), *custom_names(), *mnn_names()]
        return iter(dict.fromkeys([*own, *self._registrations]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return True  # without a look at every file

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.find(name) is not None

    def __repr__(self) -> str:
        added = len(self._registrations)
        own = f"{len(builtin_names())} builtin, {len(custom_names())} custom"
        return f"AllOpsResolver({own}, {added} added)"


def resolver_of(model: Model) -> AllOpsResolver:
    """Resolver of a model by default: all operators that Arenite has, and those it came with."""
    return _with_all(model.registrations)


class Replacing(dict[str, Registration]):
    """Registrations that take the place of Arenite's operators of their names, if there are any."""


def named(
    registrations: Mapping[str, Registration], *, replace: bool = False
) -> dict[str, Registration]:
    """Registrations of a user's own operators with their names, ready for a model.

    Raises:
        TypeError: One is no registration.
        ValueError: Arenite has such an operator, and they may not ``replace`` those.
    """
    taken = [name for name in registrations if builtin(name) is not None]
    if taken and not (replace or isinstance(registrations, Replacing)):
        raise ValueError(
            f"operator {taken[0]!r}: Arenite has one of that name; replace=True, on the command "
            "line --replace, puts yours in its place"
        )
    return dict(_with_all(registrations)._registrations)


def _with_all(registrations: Mapping[str, Registration]) -> AllOpsResolver:
    resolver = AllOpsResolver()
    for name, registration in registrations.items():
        is_builtin = name in BuiltinOperator.__members__
        (resolver.add if is_builtin else resolver.add_custom)(name, registration)
    return resolver

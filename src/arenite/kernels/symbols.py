"""The registrations that C++ sources define: their functions' names, namespaces and types.

Names with their namespaces are in the object file, in any format, as the Itanium ABI mangles them;
what a function returns only the text says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arenite.errors import KernelBuildError

PREFIX = "Register_"
_MANGLED = re.compile(rb"_Z[N\d]\w*Register_\w+")
_LENGTH = re.compile(r"\d+")
_FUNCTION = re.compile(
    rf"(const\s+)?([\w:]+)\s*([*&]?)\s*((?:\w+::)*{PREFIX}\w+)\s*\(\s*(?:void)?\s*\)\s*\{{"
)


@dataclass(frozen=True)
class Function:
    """A function that gives a registration.

    Attributes:
        name: With its namespaces: ``my::Register_MY_OP``.
        returns: What it returns: ``TFLMRegistration*``.
        is_c: Whether its name is C's.
    """

    name: str
    returns: str
    is_c: bool = False

    @property
    def short(self) -> str:
        """Its name alone."""
        return self.name.rsplit("::", 1)[-1]

    @property
    def operator(self) -> str:
        """The operator that it is for by its name: ``MY_OP``."""
        return self.short.removeprefix(PREFIX)

    @property
    def pointer(self) -> str:
        """An expression in C++: where the registration is."""
        if self.returns.endswith("*"):
            return f"{self.name}()"
        if self.returns.endswith("&"):
            return f"&{self.name}()"
        return f"[] {{ static const auto kept = {self.name}(); return &kept; }}()"

    @property
    def declaration(self) -> str:
        """Its declaration in C++."""
        *spaces, name = self.name.split("::")
        text = f"{self.returns} {name}();"
        if self.is_c:
            return f'extern "C" {text}'
        for space in reversed(spaces):
            text = f"namespace {space} {{ {text} }}"
        return text


def functions_in(texts: Sequence[str], objects: Sequence[bytes]) -> list[Function]:
    """The functions that sources define, in their order; ``objects`` are those sources compiled."""
    mangled = {name for data in objects for name in _demangled(data)}
    found = []
    for text in texts:
        for const, type_, by, written in _FUNCTION.findall(_without_comments(text)):
            returns = f"{const}{type_}{by}"
            if type_ in ("return", "static", "inline"):
                continue
            found += _resolved(written, returns, mangled)
    return list(dict.fromkeys(found))


def one_for_each(functions: Sequence[Function], sources: Sequence[Path]) -> dict[str, Function]:
    """The function of every operator.

    Raises:
        KernelBuildError: Two are for one operator.
    """
    found: dict[str, Function] = {}
    for one in functions:
        other = found.setdefault(one.operator, one)
        if other.name != one.name:
            raise _several(one.operator, [other, one], sources)
    return found


def _several(
    operator: str, functions: Sequence[Function], sources: Sequence[Path]
) -> KernelBuildError:
    files = ", ".join(f"'{path}'" for path in sources)
    names = ", ".join(one.name for one in functions)
    return KernelBuildError(
        f"{files}: expected one function for {operator}, got {names}: "
        f"--kernel {operator}=FILE.cc:{functions[0].name} takes one of them"
    )


def named_function(functions: Sequence[Function], name: str, sources: Sequence[Path]) -> Function:
    """The function that a person means.

    Raises:
        KernelBuildError: There is none of that name, or more than one.
    """
    found = [one for one in functions if one.name == name]
    found = found or [one for one in functions if name in (one.short, one.operator)]
    if len({one.name for one in found}) > 1:
        raise _several(found[0].operator, found, sources)
    if found:
        return found[0]
    has = ", ".join(one.name for one in functions) or "none"
    files = ", ".join(f"'{path}'" for path in sources)
    raise KernelBuildError(f"{files}: expected a function {name!r} there, got {has}")


def _resolved(written: str, returns: str, mangled: set[str]) -> list[Function]:
    """A function with all of its namespaces: several, where they differ in these alone."""
    fitting = sorted(name for name in mangled if name == written or name.endswith(f"::{written}"))
    if not fitting:
        return [Function(written, returns, is_c=True)]
    return [Function(name, returns) for name in fitting]


def _demangled(data: bytes) -> Iterator[str]:
    """Names of functions without arguments, as mangled names in an object say them."""
    for match in set(_MANGLED.findall(data)):
        rest, parts = match.decode()[2:], []
        is_nested = rest.startswith("N")
        rest = rest[is_nested:]
        while length := _LENGTH.match(rest):
            end = length.end() + int(length.group())
            parts.append(rest[length.end() : end])
            rest = rest[end:]
        # Behind the name: the end of its namespaces, and no arguments. Other names may follow.
        if parts and rest.startswith("Ev" if is_nested else "v"):
            yield "::".join(parts)


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)

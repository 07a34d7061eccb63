"""The interface of kernel libraries: what every folder of ``libraries/`` states."""

from pathlib import Path

import pytest

import arenite.libraries
from arenite.cores import CORES, FAMILIES
from arenite.libraries.library import LibraryResolver, library_of, resolver_for, why_no_costs
from arenite.library_facts import REFERENCE, facts_of, library_names, usual_library
from arenite.ops import AllOpsResolver
from arenite.target import Target

FOLDERS = {
    path.parent.name for path in Path(arenite.libraries.__file__).parent.glob("*/__init__.py")
}


def processor_for(name: str) -> str:
    """Some processor that a library is for."""
    families = facts_of(name).families
    return next(core.name for core in CORES.values() if not families or core.family in families)


def test_libraries_are_found_by_their_folders_and_tflms_own_kernels_come_first() -> None:
    assert library_names()[0] == REFERENCE
    assert set(library_names()) == FOLDERS


@pytest.mark.parametrize("name", library_names())
def test_a_library_is_called_as_its_folder_is(name: str) -> None:
    assert facts_of(name).name == name


@pytest.mark.parametrize("name", library_names())
def test_a_library_resolves_the_operators_of_its_target(name: str) -> None:
    target = Target(processor_for(name), library=name)
    assert library_of(target).costs().processors is not None
    found = resolver_for(AllOpsResolver(), target).find("CONV_2D")
    assert found is not None


def test_tflms_own_kernels_replace_nothing() -> None:
    resolver, target = AllOpsResolver(), Target("cortex-m4", library=REFERENCE)
    assert resolver_for(resolver, target) is resolver
    assert LibraryResolver(resolver, target).find("CONV_2D") == resolver.find("CONV_2D")


@pytest.mark.parametrize("family", FAMILIES)
def test_the_usual_library_is_for_its_processors(family: str) -> None:
    library = usual_library(family)  # type: ignore[arg-type]
    assert not library.families or family in library.families


def test_a_library_for_other_processors_is_refused() -> None:
    other = usual_library("cortex-m")
    with pytest.raises(ValueError, match=f"{other.title} is for .*, not for the host"):
        Target("host", library=other.name)


def test_why_no_costs_are_known_names_the_processors_that_have_some() -> None:
    assert why_no_costs(Target("cortex-m4")) == ""
    assert why_no_costs(Target("cortex-m0")).endswith(", not for cortex-m0")

"""Traits: stated by operators in their own files, found by name."""

import ast
from dataclasses import fields
from pathlib import Path

import pytest

import arenite
from arenite.ops.registry import builtin_names, custom_names, mnn_names, traits_of
from arenite.ops.traits import NO_TRAITS, Traits

PACKAGE = Path(arenite.__file__).parent
NAMES = {*builtin_names(), *custom_names(), *mnn_names()}
#: What asks operators for their traits.
ASKING = [
    path
    for folder in ("optimize", "firmware/streaming", "report")
    for path in sorted((PACKAGE / folder).rglob("*.py"))
]
#: Short enough to be about a few operators, as a pass on PAD and PADV2 is.
FEW = 3


@pytest.mark.parametrize("path", ASKING, ids=lambda path: path.stem)
def test_nothing_lists_operators_beside_their_traits(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            named = {one.value for one in node.elts if isinstance(one, ast.Constant)} & NAMES
            assert len(named) <= FEW, f"{path.name}:{node.lineno} lists {sorted(named)}"


def test_a_trait_is_found_by_the_operator_s_name():
    assert traits_of("RELU6").clamps
    assert traits_of("WHILE").effect == "calls"


def test_operators_of_others_claim_nothing():
    assert traits_of("SOMEBODY_S_OWN") is NO_TRAITS


def test_the_defaults_claim_nothing():
    assert all(not getattr(NO_TRAITS, one.name) for one in fields(Traits) if one.name != "drawn")


@pytest.mark.parametrize("name", sorted(NAMES))
def test_what_is_exact_on_floats_has_no_sums(name):
    traits = traits_of(name)
    assert not (traits.exact_on_floats and traits.values == "sums")


@pytest.mark.parametrize("name", sorted(NAMES))
def test_what_goes_element_by_element_keeps_channels(name):
    traits = traits_of(name)
    assert not traits.elementwise or traits.channels in ("", "same", "broadcast")

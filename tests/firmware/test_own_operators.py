"""An operator in Python has no C: an export says so, and the way out."""

from dataclasses import replace

import pytest

import arenite as ar
from tests.runtime.models import custom_chain, resolver_with


def with_own_operator():
    model = custom_chain()
    step = resolver_with("STEP").find("STEP")
    return replace(model, registrations={"STEP": step})


def test_an_export_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(ar.UnsupportedOperatorError, match="export --library tflm"):
        ar.export(with_own_operator(), tmp_path / "m", emulate=False)

"""What other platforms are compared with is what this one gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arenite.errors import UndefinedWarning
from tests.digests.__main__ import differing, expected, isas
from tests.digests.cases import Case, read, save
from tests.digests.digest import are_equal, of_outputs
from tests.native.strategies import OPERATORS

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ("reference", *isas()[-1:])


@pytest.mark.filterwarnings(f"ignore::{UndefinedWarning.__module__}.UndefinedWarning")
@pytest.mark.parametrize("engine", ENGINES)
def test_all_digests_are_equal(engine: str) -> None:
    assert differing(read(), expected(), engine) == {}


def test_every_operator_of_tflm_has_some() -> None:
    assert {case.operator for case in read()} == set(OPERATORS)


def test_one_bit_makes_another_digest() -> None:
    x = np.arange(4, dtype=np.int8)
    assert are_equal(of_outputs([[x]]), of_outputs([[x.copy()]]))
    assert not are_equal(of_outputs([[x]]), of_outputs([[x ^ 1]]))
    assert not are_equal(of_outputs([[x]]), of_outputs([[x.astype(np.float32)]]))


def test_floats_are_equal_within_the_tolerance_of_the_largest() -> None:
    x = np.array([0.0, 100.0, np.nan, -np.inf], np.float32)
    nearly, other = x + np.float32(9e-4), x + np.float32(2e-3)
    assert are_equal(of_outputs([[nearly]]), of_outputs([[x]]))
    assert not are_equal(of_outputs([[other]]), of_outputs([[x]]))
    assert not are_equal(of_outputs([[np.abs(x)]]), of_outputs([[x]]))


def test_arenas_count_where_both_know_them() -> None:
    assert not are_equal({"arena": [1, 2]}, {"arena": [1, 3]})
    assert are_equal({}, {"arena": [1, 3]})


def test_cases_are_kept_as_they_are(tmp_path) -> None:  # type: ignore[no-untyped-def]
    x = np.arange(6, dtype=np.int16).reshape(2, 3)
    save([Case("A", b"abc", ([x], "reset")), Case("B", b"", ())], tmp_path / "f")
    first, second = read(tmp_path / "f")
    assert (first.operator, first.model, first.steps[1]) == ("A", b"abc", "reset")
    np.testing.assert_array_equal(first.steps[0], [x])
    assert second == Case("B", b"", ())


def test_they_are_checked_without_a_package_of_the_tests() -> None:
    """As on a new platform, where there is the wheel and what it needs."""
    code = """if True:
        import sys
        sys.modules |= dict.fromkeys(["pytest", "hypothesis", "tflite_micro"])
        from tests.digests.__main__ import differing, expected, isas, read
        for engine in ("reference", *isas()):
            assert not differing(read()[:8], expected()[:8], engine)
    """
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, stderr=subprocess.PIPE, check=False
    )
    assert done.stderr == b""

"""Functions of floats in C: a few units in the last place, over all of their range."""

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("arenite.native._engine")

from arenite.model import Array
from arenite.native.program import available_isas
from arenite.runtime.heap_host import HeapInterpreter
from tests.ops.unary import unary_model


def of(name: str, x: Array, isa: str) -> Array:
    interpreter = HeapInterpreter(unary_model(name, x.shape, "float32"))
    interpreter.allocate_tensors()
    compiled = interpreter.compile(isa)
    assert compiled.kernel(0) != "python"
    interpreter.input()[...] = x
    compiled.invoke()
    return interpreter.output().astype(np.float64)


def everywhere(low: int, high: int, count: int = 20000) -> Array:
    """Numbers of every magnitude between two patterns of bits, the special ones mixed in."""
    bits = np.linspace(low, high, count).astype(np.uint32)
    return (
        np.concatenate([bits, np.random.default_rng(1).integers(low, high, count)])
        .astype(np.uint32)
        .view(np.float32)
    )


POSITIVE = everywhere(1, 0x7F7FFFFF)
FUNCTIONS: dict[str, tuple[Callable[[Array], Array], Array]] = {
    "EXP": (np.exp, np.linspace(-104, 88.7, 40000).astype(np.float32)),
    "LOG": (np.log, POSITIVE),
    "SQRT": (np.sqrt, POSITIVE),
    "RSQRT": (lambda x: 1 / np.sqrt(x), POSITIVE),
    "FLOOR": (np.floor, np.concatenate([POSITIVE, -POSITIVE])),
    "CEIL": (np.ceil, np.concatenate([POSITIVE, -POSITIVE])),
    "ROUND": (np.rint, np.concatenate([POSITIVE, -POSITIVE, np.arange(-999.5, 999.5, 0.5)])),
}


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("mixed", [False, True])
def test_relative_error(name: str, isa: str, mixed: bool) -> None:
    function, x = FUNCTIONS[name]
    x = x.astype(np.float32)
    if mixed:  # so that no block of numbers is without a special case
        x[::100] = np.nan
    y = of(name, x, isa)
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
    # Subnormal results have fewer digits.
    np.testing.assert_allclose(y, exact, rtol=5e-7, atol=2e-45)


@pytest.mark.parametrize("isa", available_isas())
@pytest.mark.parametrize(("name", "function"), [("SIN", np.sin), ("COS", np.cos)])
@pytest.mark.parametrize("largest", [1.0, 8000.0, 3.4e38])
def test_angles(name: str, function: Callable[[Array], Array], isa: str, largest: float) -> None:
    x = np.concatenate([POSITIVE[largest >= POSITIVE], np.linspace(0, largest, 5000)])
    x = np.concatenate([x, -x]).astype(np.float32)
    np.testing.assert_allclose(of(name, x, isa), function(x.astype(np.float64)), atol=2e-7, rtol=0)


@pytest.mark.parametrize("isa", available_isas())
def test_special_values(isa: str) -> None:
    x = np.array([0, -0.0, np.inf, -np.inf, np.nan, -1, 1e-45, 3.4e38], np.float32)
    inf, nan = np.inf, np.nan
    expected = {
        "EXP": [1, 1, inf, 0, nan, np.exp(-1), 1, inf],
        "LOG": [-inf, -inf, inf, nan, nan, nan, np.log(2.0**-149), np.log(np.float64(x[7]))],
        "SQRT": [0, 0, inf, nan, nan, nan, 2.0**-74.5, np.sqrt(np.float64(x[7]))],
        "RSQRT": [inf, -inf, 0, nan, nan, nan, 2.0**74.5, 1 / np.sqrt(np.float64(x[7]))],
        "SIN": [0, 0, nan, nan, nan, np.sin(-1), 2.0**-149, np.sin(np.float64(x[7]))],
        "COS": [1, 1, nan, nan, nan, np.cos(-1), 1, np.cos(np.float64(x[7]))],
        "FLOOR": [0, 0, inf, -inf, nan, -1, 0, x[7]],
        "CEIL": [0, 0, inf, -inf, nan, -1, 1, x[7]],
        "ROUND": [0, 0, inf, -inf, nan, -1, 0, x[7]],
    }
    for name, values in expected.items():
        np.testing.assert_allclose(of(name, x, isa), values, rtol=5e-7, atol=2e-45, err_msg=name)

"""Dense layers whose weights take fewer bytes in one way or another."""

import numpy as np

from arenite.model import Model, ModelBuilder


def dense(weights: np.ndarray, *, layers: int = 1, shared: bool = False) -> Model:
    """FULLY_CONNECTED layers of such weights."""
    b = ModelBuilder()
    x = b.input("x", (1, weights.shape[1]), "int8", scale=0.5)
    w = None
    for number in range(layers):
        if w is None or not shared:
            w = b.constant(f"w{number}", weights, scale=[0.25], zero_point=[0])
        y = b.tensor(f"y{number}", (1, weights.shape[0]), "int8", scale=4.0)
        b.operator("FULLY_CONNECTED", [x, w, -1], [y])
        x = y
    b.output(x)
    return b.build("dense")


def weights(kind: str, shape: tuple[int, ...] = (64, 64), seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "few":
        return rng.choice(np.array([-9, -1, 0, 3], np.int8), shape)
    if kind == "narrow":
        return rng.normal(0, 4, shape).round().astype(np.int8)
    if kind == "sparse":
        return rng.integers(-128, 128, shape).astype(np.int8) * (rng.random(shape) < 0.02)
    return rng.integers(-128, 128, shape).astype(np.int8)

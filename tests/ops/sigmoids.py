"""Models with one LOGISTIC or TANH."""

from hypothesis import strategies as st

from arenite.model import Model
from tests.ops.unary import scales, shapes, unary_model, zero_points

#: The output's scale and zero point, by type.
OUTPUTS = {
    "LOGISTIC": {"int8": (1 / 256, -128), "int16": (1 / 32768, 0), "float32": None},
    "TANH": {"int8": (1 / 128, 0), "int16": (1 / 32768, 0), "float32": None},
}


def sigmoid(name: str, kind: str, scale: float = 0.1, zero_point: int = 0, shape=(256,)) -> Model:
    x = None if kind == "float32" else (scale, zero_point)
    return unary_model(name, shape, kind, x=x, y=OUTPUTS[name][kind])


@st.composite
def sigmoids(draw: st.DrawFn, name: str) -> Model:
    kind = draw(st.sampled_from(list(OUTPUTS[name])))
    near_one = st.floats(0.998, 1.002)
    power_of_two = st.tuples(st.integers(-14, -9), near_one).map(lambda p: 2.0 ** p[0] * p[1])
    scale = draw(st.one_of(scales(), power_of_two))
    return sigmoid(name, kind, scale, draw(zero_points(kind)), draw(shapes(kind)))

"""Frozen dataclasses that are filled at once."""

import pickle
import sys
from dataclasses import FrozenInstanceError, dataclass, field, replace
from inspect import signature

import pytest

from arenite.model import Quantization, Tensor, TensorType
from arenite.model.fast_init import quick


@quick
@dataclass(frozen=True)
class Point:
    """A class of fields with and without defaults."""

    x: int
    y: int = 2


def test_objects_have_their_fields_and_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1, y=3).y) == (1, 2, 3)
    assert Point(1) == Point(1, 2) != Point(1, 3)
    assert repr(Point(1)).endswith("Point(x=1, y=2)")


def test_arguments_are_those_of_the_dataclass() -> None:
    assert list(signature(Point).parameters) == ["x", "y"]
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required .* 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        Point(1, z=2)  # type: ignore[call-arg]


def test_objects_stay_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        Point(1).x = 2  # type: ignore[misc]


def test_objects_are_replaced_and_pickled_as_ever() -> None:
    assert replace(Point(1), y=5) == Point(1, 5)
    assert pickle.loads(pickle.dumps(Point(1, 5))) == Point(1, 5)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="older Pythons share names of fields")
def test_what_a_model_has_thousands_of_is_quick() -> None:
    for cls in (Tensor, Quantization):
        assert "__setattr__" not in cls.__init__.__code__.co_names
    tensor = Tensor("x", TensorType.INT8, (1,))
    assert vars(tensor)["has_rank"] is False


def test_a_default_to_be_made_is_refused() -> None:
    @dataclass(frozen=True)
    class Listed:
        items: list[int] = field(default_factory=list)

    with pytest.raises(TypeError, match="Listed: expected a dataclass of plain fields"):
        quick(Listed)


def test_work_behind_init_is_refused() -> None:
    @dataclass(frozen=True)
    class Checked:
        x: int

        def __post_init__(self) -> None:
            """What ``quick`` would leave out."""

    with pytest.raises(TypeError, match="Checked: expected a dataclass of plain fields"):
        quick(Checked)


def test_slots_are_refused() -> None:
    @dataclass(frozen=True)
    class Slotted:
        __slots__ = ("x",)
        x: int

    with pytest.raises(TypeError, match="Slotted: expected a dataclass of plain fields"):
        quick(Slotted)

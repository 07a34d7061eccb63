"""TFLM's sources for tests: a folder that ``ARENITE_TFLM`` names, or a package's.

The package is ``xmos-ai-tools``, which carries headers of TFLM's and a library for this host. Tests
skip where there is neither.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

import arenite as ar
from arenite import Registration
from arenite.kernels.build import registration_type
from arenite.kernels.tree import find_tree

#: Values of the input of samples' models.
LENGTH = 64
SAMPLES = Path(__file__).resolve().parent / "samples"
_RESOLVER = "tensorflow/lite/micro/micro_mutable_op_resolver.h"
_FOLDERS = ("signal/micro/kernels", "tensorflow/lite/micro/kernels")


@cache
def sources() -> Path | None:
    """A checkout with its third parties; None where there is none."""
    named = os.environ.get("ARENITE_TFLM")
    return Path(named) if named else None


@cache
def package() -> Path | None:
    """The package's folder; None where it is not installed."""
    found = find_spec("xmos_ai_tools")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "runtime"


def full_tree() -> Path:
    """TFLM's sources, or the test skips."""
    found = sources()
    if found is None:
        pytest.skip("ARENITE_TFLM names no TFLM sources")
    return found


def any_tree() -> Path:
    """Those, else the package's, or the test skips."""
    found = sources() or package()
    if found is None:
        pytest.skip("ARENITE_TFLM names no TFLM sources, and xmos-ai-tools is not installed")
    return found


def define(folder: Path) -> dict[str, str]:
    """The samples say ``tflite`` and ``TFLMRegistration``; a tree may have other names."""
    tree = find_tree(folder, needs_cmsis_nn=False)
    names = {"tflite": tree.namespace, "TFLMRegistration": registration_type(tree)}
    return {name: own for name, own in names.items() if name != own}


def model(
    kernels: Mapping[str, Registration], mistake: int = 0, name: str = "MISTAKES"
) -> ar.Model:
    """A model with one operator of a sample's; ``mistake`` is its options' byte."""
    b = ar.ModelBuilder()
    x = b.input("x", (1, LENGTH), "int8", scale=0.5)
    y = b.tensor("y", (1, LENGTH), "int8", scale=0.5)
    b.operator(name, [x], [y], custom_options=bytes([mistake]))
    b.output(y)
    return replace(b.build(), registrations=dict(kernels))


@cache
def kernel_of(folder: Path, operator: str) -> tuple[Path, str]:
    """The file of TFLM's own kernel for an operator, and its registration's function."""
    tree = find_tree(folder, needs_cmsis_nn=False)
    text = tree.text(_RESOLVER)
    custom = re.search(rf'AddCustom\(\s*"{operator}",\s*&?(?:\w+::)*(\w+)', text)
    function = custom.group(1) if custom else f"Register_{operator}"
    if not function.startswith("Register_"):  # a registration that is an argument by default
        added = text[: text.index(f'"{operator}"')].rpartition("TfLiteStatus Add")[2]
        found = re.search(r"Register_\w+", added)
        function = found.group() if found else f"Register_{operator.removeprefix('TFLM_')}"
    defined = re.compile(rf"\b{function}\s*\(\s*\)\s*\{{")
    for place in _FOLDERS:
        for path in sorted((tree.root / place).glob("*.cc")):
            if defined.search(path.read_text(errors="replace")):
                return path, function
    raise LookupError(f"{folder} has no {function}")

"""Every operator that MNN's converter makes of ONNX: Arenite computes what MNN computes."""

import pytest

from tests.mnn.lowering.compare import agrees
from tests.mnn.lowering.conftest import Converter
from tests.mnn.lowering.onnx_cases import CASES, FIXED
from tests.mnn_oracle import MnnOracle


@pytest.mark.parametrize("name", CASES)
def test_is_as_mnn_has_it(name: str, mnn: MnnOracle, converter: Converter) -> None:
    agrees(mnn, converter("ONNX", CASES[name]()))


@pytest.mark.parametrize("name", FIXED)
def test_models_of_fixed_shapes_copy_the_pieces_that_the_file_says(
    name: str, mnn: MnnOracle, converter: Converter
) -> None:
    agrees(mnn, converter("ONNX", CASES[name](), "--saveStaticModel"))

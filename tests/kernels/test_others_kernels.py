"""Third parties' kernels, compiled as a user's with stubs of their headers, beside the operator.

``ARENITE_OTHERS_KERNELS`` names a JSON file: a list of objects with ``id``, ``operator``,
``files``, ``tflm``, and where they are needed ``names``, ``sources``, ``include``, ``define`` (as
``ar.compile_kernels`` has them). A vendor's kernel may have results or memory of its own:
``differs`` is then a pattern of what the check says of it.
"""

import json
import os
import re
from pathlib import Path

import pytest

import arenite as ar
from arenite.analysis.kernel_check import check_kernel
from tests.ops.differential import CASES

pytest.importorskip("ziglang")

_LIST = os.environ.get("ARENITE_OTHERS_KERNELS", "")
ROWS = json.loads(Path(_LIST).read_text()) if _LIST else []
_missing = pytest.mark.skip(reason="ARENITE_OTHERS_KERNELS names no list of kernels")


@pytest.mark.parametrize(
    "row",
    ROWS or [pytest.param(None, marks=_missing)],
    ids=[one["id"] for one in ROWS] or ["none"],
)
def test_a_third_partys_kernel_is_arenites_operator(row):
    options = {key: row[key] for key in ("names", "sources", "include", "define") if key in row}
    kernels = ar.compile_kernels(*row["files"], tflm=row["tflm"], **options)
    found = check_kernel(kernels[row["operator"]], row["operator"], cases=CASES)
    said = "" if found.difference is None else found.difference.what
    assert re.fullmatch(row.get("differs", ""), said, re.S), f"{said}\n{found}"
    assert found.cases > 0

"""The notebook does what its committed outputs say; ``make test-report`` has what executes it."""

import json
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebook"
NOTEBOOK = json.loads((FOLDER / "digits.ipynb").read_text(encoding="utf-8"))
CODE = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def outputs(cells):
    return [
        [(o.get("name"), o.get("text"), o.get("data")) for o in cell["outputs"]] for cell in cells
    ]


@pytest.mark.filterwarnings("default")
def test_executed_again_it_says_the_same():
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    again = runpy.run_path(str(FOLDER / "execute.py"))["executed"]()
    cells = [cell for cell in json.loads(text_of(again))["cells"] if cell["cell_type"] == "code"]
    assert outputs(cells) == outputs(CODE)


def text_of(notebook):
    import nbformat

    return nbformat.writes(notebook)


def test_its_outputs_are_committed_and_are_no_errors():
    kinds = {output["output_type"] for cell in CODE for output in cell["outputs"]}
    assert [cell["execution_count"] for cell in CODE] == list(range(1, len(CODE) + 1))
    assert kinds == {"execute_result", "stream"}


def test_things_are_shown_as_html():
    shown = [o["data"] for cell in CODE for o in cell["outputs"] if "data" in o]
    assert len(shown) == 7
    assert all("text/html" in data for data in shown)


def test_nothing_in_it_is_of_one_machine():
    """But for paths, which no file of the project has; see test_architecture.py."""
    assert "language_info" not in NOTEBOOK["metadata"]
    assert "site-packages" not in json.dumps(NOTEBOOK)

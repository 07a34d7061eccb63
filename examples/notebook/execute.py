"""Execute the notebook again, outputs included: ``python examples/notebook/execute.py``.

Its outputs have no times and no paths, so that they are the same on every machine. Needs nbclient
and ipykernel, of the extra ``pages``.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOK = Path(__file__).resolve().parent / "digits.ipynb"
_SECONDS = 300


def executed() -> NotebookNode:
    """The notebook with today's outputs."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=_SECONDS,
        record_timing=False,
        resources={"metadata": {"path": str(NOTEBOOK.parent)}},
    )
    client.execute()
    notebook.metadata.pop("language_info", None)  # this Python's version
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(), NOTEBOOK)

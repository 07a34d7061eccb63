"""Where modules and programs are looked for."""

import os
import sys
from pathlib import Path

import pytest

from arenite.processes import paths


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, without a PYTHONPATH."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return str(tmp_path)


def other(tmp_path, name="other"):
    folder = tmp_path / name
    folder.mkdir()
    return str(folder)


def test_the_current_folder_and_relative_ones_are_left_out(here, tmp_path, monkeypatch):
    elsewhere = other(tmp_path)
    monkeypatch.setattr(sys, "path", ["", ".", "lib", here, os.path.join(here, "."), elsewhere])
    assert paths.import_path() == [elsewhere]


def test_a_link_to_the_current_folder_is_it(here, tmp_path, monkeypatch):
    link = tmp_path / "link"
    try:
        link.symlink_to(tmp_path, target_is_directory=True)
    except OSError:
        pytest.skip("there are no links")
    monkeypatch.setattr(sys, "path", [str(link)])
    assert paths.import_path() == []


def test_the_current_folder_stays_where_pythonpath_names_it_in_full(here, monkeypatch):
    monkeypatch.setattr(sys, "path", [here])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", here]))
    assert paths.import_path() == [here]


def test_the_current_folder_is_last_where_arenite_lies_in_it(here, tmp_path, monkeypatch):
    elsewhere = other(tmp_path)
    monkeypatch.setattr(sys, "path", [here, elsewhere])
    monkeypatch.setattr(paths, "PACKAGE", os.path.join(here, "arenite"))
    assert paths.import_path() == [elsewhere, here]


def program(folder):
    path = Path(folder) / ("tool.exe" if os.name == "nt" else "tool")
    path.write_bytes(b"")
    path.chmod(0o755)
    return str(path)


def test_a_program_of_the_current_folder_is_not_found(here, monkeypatch):
    program(here)
    monkeypatch.setenv("PATH", os.pathsep.join(["", "."]))
    assert paths.find_program("tool") is None


def test_a_program_is_found_where_path_names_its_folder(here, tmp_path, monkeypatch):
    folder = other(tmp_path)
    found = program(folder)
    monkeypatch.setenv("PATH", os.pathsep.join(["", folder]))
    assert paths.find_program("tool") == found


def test_a_package_of_the_current_folder_is_not_found(here, tmp_path, monkeypatch):
    other(tmp_path, "trapped_package")
    (tmp_path / "trapped_package" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend("")
    assert paths.find_package("trapped_package") is None
    assert paths.find_package("numpy") == os.path.dirname(sys.modules["numpy"].__file__)

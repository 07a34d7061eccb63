"""A folder that is written whole."""

import json
import os
from hashlib import sha256

import pytest

from arenite.firmware.folder import places as places_module
from arenite.firmware.folder import writing as folder_module
from arenite.firmware.folder.writing import write_folder

OLD = {"README.md": "a", "src/b.c": "b"}
FACTS = {"name": "m"}


def contents(folder):
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def texts(folder):
    """All files but the manifest."""
    return {path: text for path, text in contents(folder).items() if path != "arenite.json"}


def test_a_new_folder_has_all_files_and_nothing_lies_beside_it(tmp_path):
    assert write_folder(tmp_path / "x" / "y", OLD, FACTS) == ()
    assert texts(tmp_path / "x" / "y") == OLD
    assert [path.name for path in (tmp_path / "x").iterdir()] == ["y"]


def test_the_manifest_has_the_digests_of_what_was_written(tmp_path):
    write_folder(tmp_path, OLD, FACTS)
    facts = json.loads((tmp_path / "arenite.json").read_text())
    digests = {path: sha256(text.encode()).hexdigest() for path, text in OLD.items()}
    assert facts == {**FACTS, "digests": digests}


def test_what_an_earlier_export_left_over_goes_and_what_is_mine_stays(tmp_path):
    write_folder(tmp_path, OLD, FACTS)
    (tmp_path / "mine.txt").write_text("mine")
    assert write_folder(tmp_path, {"README.md": "new"}, FACTS) == ()
    assert texts(tmp_path) == {"README.md": "new", "mine.txt": "mine"}
    assert not (tmp_path / "src").exists()


def test_what_was_changed_stays_and_is_said_until_it_is_moved_away(tmp_path):
    write_folder(tmp_path, {**OLD, "src/main.cc": "c", "Makefile": "d"}, FACTS)
    (tmp_path / "src" / "main.cc").write_text("mine")
    (tmp_path / "README.md").write_text("mine")
    for _ in range(2):  # the second time, it still is mine
        kept = write_folder(tmp_path, {**OLD, "src/main.cc": "new"}, FACTS)
        assert kept == ("README.md", "src/main.cc")
        assert texts(tmp_path) == {"README.md": "mine", "src/b.c": "b", "src/main.cc": "mine"}
    (tmp_path / "src" / "main.cc").unlink()
    assert write_folder(tmp_path, {"src/main.cc": "new"}, FACTS) == ("README.md",)
    assert texts(tmp_path) == {"README.md": "mine", "src/main.cc": "new"}


def test_a_file_that_no_export_wrote_is_not_taken_for_one(tmp_path):
    write_folder(tmp_path, OLD, FACTS)
    (tmp_path / "Makefile").write_text("mine")
    assert write_folder(tmp_path, {**OLD, "Makefile": "new"}, FACTS) == ("Makefile",)
    assert (tmp_path / "Makefile").read_text() == "mine"


@pytest.mark.parametrize("new", [{"src/b.c": "new"}, {"README.md": "new"}], ids=["new", "gone"])
def test_a_changed_source_that_has_to_fit_the_others_is_an_error(tmp_path, new):
    write_folder(tmp_path, OLD, FACTS)
    (tmp_path / "src" / "b.c").write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(FileExistsError, match=r"'src/b\.c' in .* was changed"):
        write_folder(tmp_path, new, FACTS)
    assert contents(tmp_path) == before


NAMES = ["../precious", "/precious", "a\0", "", "..\\precious", "C:precious", "src/../../precious"]


@pytest.mark.parametrize("name", [*NAMES, "mine.txt", "src/mine.c.txt", "src/sub/mine.c"])
def test_only_names_that_an_export_writes_are_removed(tmp_path, name):
    folder = tmp_path / "x"
    mine = {"mine.txt": "p", "src/mine.c.txt": "p", "src/sub/mine.c": "p"}
    for path in mine:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("p")
    (tmp_path / "precious").write_text("p")
    said = {"files": [name], "digests": {name: sha256(b"p").hexdigest()}}
    (folder / "arenite.json").write_text(json.dumps(said))
    write_folder(folder, {"README.md": "r"}, FACTS)
    assert (tmp_path / "precious").read_text() == "p"
    assert texts(folder) == {"README.md": "r", **mine}


@pytest.mark.parametrize("broken", ["", "[", "[]", '{"digests": {"a": 1}}', "9" * 5000])
def test_a_broken_manifest_is_replaced(tmp_path, broken):
    (tmp_path / "arenite.json").write_text(broken)
    write_folder(tmp_path, OLD, FACTS)
    assert texts(tmp_path) == OLD


def link(place, to):
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.symlink_to(to)
    except OSError:
        pytest.skip("no links here")


@pytest.mark.parametrize("name", ["arenite.json", "README.md", "src", "src/b.c", "src/gone.c"])
@pytest.mark.parametrize("dangling", [False, True], ids=["a link", "a dangling link"])
def test_no_link_is_followed(tmp_path, name, dangling):
    folder, outside = tmp_path / "x", tmp_path / "outside"
    write_folder(folder, {**OLD, "src/gone.c": "c"}, FACTS)
    (folder / name).rename(outside)
    kept = contents(tmp_path)
    link(folder / name, tmp_path / "nowhere" if dangling else outside)
    with pytest.raises(FileExistsError, match=r"expected a (file|folder), got a link"):
        write_folder(folder, {"README.md": "new", "src/b.c": "new"}, FACTS)
    assert (folder / name).is_symlink()
    (folder / name).unlink()
    assert contents(tmp_path) == kept


def test_a_folder_that_becomes_a_link_meanwhile_is_not_followed(tmp_path, monkeypatch):
    folder, outside = tmp_path / "x", tmp_path / "outside"
    write_folder(folder, OLD, FACTS)
    outside.mkdir()
    as_before = folder_module._take_places

    def late(*arguments):
        (folder / "src").rename(tmp_path / "moved")
        link(folder / "src", outside)
        as_before(*arguments)

    monkeypatch.setattr(folder_module, "_take_places", late)
    with pytest.raises(FileExistsError, match="expected a folder, got a link"):
        write_folder(folder, {**OLD, "src/b.c": "new"}, FACTS)
    assert list(outside.iterdir()) == []
    assert not list(folder.glob(".arenite-*"))


def test_folders_are_looked_at_where_they_cannot_be_opened_one_in_the_other(tmp_path, monkeypatch):
    monkeypatch.setattr(places_module, "_HAS_DIR_FD", False)  # Windows
    test_what_an_earlier_export_left_over_goes_and_what_is_mine_stays(tmp_path / "a")
    test_no_link_is_followed(tmp_path / "b", "src", False)
    test_no_link_is_followed(tmp_path / "c", "src/b.c", False)


@pytest.mark.parametrize("moves", range(5))
def test_an_export_that_was_killed_between_two_files_changed_nothing_of_mine(
    tmp_path, monkeypatch, moves
):
    """What was replaced and what was not are both known as exported by the next one."""
    write_folder(tmp_path, {**OLD, "src/gone.c": "c"}, FACTS)
    left = iter(range(moves))
    as_before = places_module.Places.move

    def move(*arguments):
        if next(left, None) is None:
            raise KeyboardInterrupt
        as_before(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(places_module.Places, "move", move)
        if moves < 4:
            with pytest.raises(KeyboardInterrupt):
                write_folder(tmp_path, {"README.md": "1", "src/b.c": "1"}, FACTS)
    third = {"README.md": "2", "src/b.c": "2"}
    assert write_folder(tmp_path, third, FACTS) == ()
    assert texts(tmp_path) == third


@pytest.mark.parametrize("there", [False, True], ids=["new", "exported before"])
def test_an_interrupted_export_leaves_what_was_there(tmp_path, there, monkeypatch):
    folder = tmp_path / "x"
    if there:
        write_folder(folder, OLD, FACTS)
    before = contents(tmp_path)

    def interrupted(path, data, name):
        raise KeyboardInterrupt

    monkeypatch.setattr("arenite.firmware.folder.writing.save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_folder(folder, {"README.md": "new"}, FACTS)
    assert folder.exists() == there
    assert contents(tmp_path) == before


def test_a_file_in_the_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "x").write_text("mine")
    with pytest.raises(FileExistsError, match="expected a folder, got the file"):
        write_folder(tmp_path / "x", OLD, FACTS)
    assert (tmp_path / "x").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written_is_an_error_and_stays(tmp_path):
    write_folder(tmp_path / "x", OLD, FACTS)
    (tmp_path / "x").chmod(0o555)
    with pytest.raises(PermissionError):
        write_folder(tmp_path / "x", {}, FACTS)
    assert texts(tmp_path / "x") == OLD

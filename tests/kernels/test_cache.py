"""Products are taken again if all that they were made of is what it was."""

import os

import pytest

from arenite.kernels import cache
from arenite.kernels.inputs import Inputs, inputs_of_files, state_of


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENITE_CACHE", str(tmp_path / "cache"))
    header, product = tmp_path / "a.h", tmp_path / "a.so"
    header.write_text("1")
    product.write_bytes(b"library")
    return header, cache.keep("key", product, inputs(header, tmp_path / "absent.h"))


def inputs(header, *absent):
    return Inputs({header: state_of(header)}, dict.fromkeys(absent))


def test_a_product_is_found_by_its_key(kept):
    header, path = kept
    found = cache.find("key")
    assert (found.product, [*found.inputs.files]) == (path, [header])
    assert path.read_bytes() == b"library"


def test_a_header_that_changed_makes_it_another_product(kept, tmp_path):
    header, path = kept
    header.write_text("22")
    assert cache.find("key") is None
    assert cache.keep("key", tmp_path / "a.so", inputs(header)) != path


def test_a_header_of_another_time_and_the_same_text_is_the_same(kept):
    header, path = kept
    os.utime(header, (1, 1))
    assert cache.find("key").product == path


def test_a_header_of_the_same_time_and_size_and_another_text_is_another(kept):
    header, _ = kept
    before = header.stat()
    header.write_text("2")
    os.utime(header, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert cache.find("key") is None


def test_a_file_where_there_was_none_makes_it_another_product(kept, tmp_path):
    (tmp_path / "absent.h").write_text("")
    assert cache.find("key") is None


@pytest.mark.parametrize("content", ["", "[]", '{"product": 3, "inputs": []}', '{"inputs": {}}'])
def test_a_broken_list_is_as_none(kept, content):
    (cache.cache_folder() / "key.json").write_text(content)
    assert cache.find("key") is None


def test_a_product_that_is_gone_is_not_found(kept):
    kept[1].unlink()
    assert cache.find("key") is None


@pytest.mark.parametrize("content", [b"", b"libra", b"Library"])
def test_a_product_that_was_cut_or_changed_is_not_found(kept, content):
    kept[1].write_bytes(content)
    assert cache.find("key") is None


# -- what a compilation depends on -------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "absent"),
    [
        ('#include "sub/a.h"', {"source/sub", "first/sub"}),
        ("#include <sub/a.h>", {"first/sub"}),
        ("# include <a.h>", {"first/a.h", "second/a.h"}),
        ('#if __has_include("b.h")', {"source/b.h", "first/b.h", "second/b.h"}),
        ("#include NAME", {"first/sub"}),  # a macro: found by what it led to
    ],
)
def test_headers_that_would_come_first_are_inputs(tmp_path, line, absent):
    for folder in ("source", "first", "second/sub"):
        (tmp_path / folder).mkdir(parents=True)
    source, header = tmp_path / "source/a.cc", tmp_path / "second/sub/a.h"
    source.write_text(line)
    header.write_text("")
    arguments = [f"-I{tmp_path / 'first'}", "-I", str(tmp_path / "second")]
    found = inputs_of_files([source, header], arguments)
    expected = {tmp_path / name for name in {*absent, "first/sub"}}
    assert {*found.absent} == expected
    assert {*found.files} == {source, header}


def test_inputs_that_were_written_and_written_back_are_not_as_they_were(tmp_path):
    path = tmp_path / "a.h"
    path.write_text("1")
    found = inputs(path)
    assert found.are_as_they_were()
    before = path.stat()
    path.write_text("2")
    path.write_text("1")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not found.are_as_they_were()

"""Products are taken again if all that they were made of is what it was."""

import os

import pytest

from arenite.kernels import cache


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENITE_CACHE", str(tmp_path / "cache"))
    header, product = tmp_path / "a.h", tmp_path / "a.so"
    header.write_text("1")
    product.write_bytes(b"library")
    return header, cache.keep("key", product, [header])


def test_a_product_is_found_by_its_key(kept):
    header, path = kept
    assert cache.find("key") == (path, [header])
    assert path.read_bytes() == b"library"


def test_a_header_that_changed_makes_it_another_product(kept, tmp_path):
    header, path = kept
    header.write_text("22")
    assert cache.find("key") is None
    other = cache.keep("key", tmp_path / "a.so", [header])
    assert other != path


def test_a_header_of_another_time_and_the_same_text_is_the_same(kept):
    header, path = kept
    os.utime(header, (1, 1))
    assert cache.find("key") == (path, [header])


@pytest.mark.parametrize("content", ["", "[]", '{"product": 3, "inputs": []}', '{"inputs": {}}'])
def test_a_broken_list_is_as_none(kept, content):
    (cache.cache_folder() / "key.json").write_text(content)
    assert cache.find("key") is None


def test_a_product_that_is_gone_is_not_found(kept):
    kept[1].unlink()
    assert cache.find("key") is None

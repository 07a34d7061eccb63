"""What a release checks and writes: its tag, and where it is published."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))

import release  # noqa: E402


def test_the_version_is_the_same_everywhere():
    assert len(set(release.versions(ROOT).values())) == 1


def test_a_tag_is_the_version():
    version = release.versions(ROOT)["pyproject.toml"]
    assert release.tag_is_wrong(f"v{version}") == ""
    assert f"expected the tag v{version}, got v9.9" in release.tag_is_wrong("v9.9")


def test_relative_links_lead_to_the_repository_and_others_stay():
    text = "[a](docs/a.md#b) ![p](docs/p.svg) [c](https://x.y) [d](#e)"
    assert release.absolute(text, "https://forge/o/a/", "v1") == (
        "[a](https://forge/o/a/blob/v1/docs/a.md#b) ![p](https://forge/o/a/raw/v1/docs/p.svg) "
        "[c](https://x.y) [d](#e)"
    )


def test_no_relative_link_of_the_readme_is_left():
    text = release.absolute((ROOT / "README.md").read_text("utf-8"), "https://forge/o/a")
    assert release.LINK.search(text) is None


def test_a_project_gets_its_addresses_once():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    once = release.with_urls(text, "https://forge/o/a")
    assert 'Issues = "https://forge/o/a/issues"' in once
    assert release.with_urls(once, "https://other") == once

"""Workflows: only ``build`` and ``publish`` may sign, and what was built is what is published."""

import os
import re
import subprocess
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = {path.stem: path.read_text("utf-8") for path in ROOT.glob(".github/workflows/*.yml")}
SIGNING = {"attestations: write", "contents: read", "id-token: write"}


def jobs(workflow: str) -> dict[str, str]:
    """The text of each job, by its name."""
    parts = re.split(r"^  (\w+):\n", workflow.partition("\njobs:\n")[2], flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def permissions(job: str) -> set[str]:
    """What a job may do beyond what all jobs may."""
    block = re.search(r"^    permissions:\n((?:      .+\n)+)", job, re.M)
    return {line.strip() for line in block[1].splitlines()} if block else set()


def script(job: str, step: str) -> str:
    """What the step of this name runs."""
    found = re.search(
        rf"- name: {step}\n(?:        .*\n)*?        run: \|\n((?:          .+\n)+)", job
    )
    assert found, step
    return textwrap.dedent(found[1])


BUILD, PUBLISH = (jobs(WORKFLOWS["release"])[name] for name in ("build", "publish"))


def parts() -> list[str]:
    """The parts of ``.ci/run``, in its order."""
    found = re.search(r"^PARTS=\((.*)\)$", (ROOT / ".ci" / "run").read_text("utf-8"), re.M)
    assert found
    return found[1].split()


def test_every_part_of_continuous_integration_is_a_job_and_every_job_a_part():
    ran = {
        name: re.findall(r"run: \.ci/run (.*)", job) for name, job in jobs(WORKFLOWS["ci"]).items()
    }
    assert ran == {part: [part] for part in parts()}


def test_every_part_is_a_function_and_every_function_a_part():
    defined = re.findall(r"^part_(\w+)\(\)", (ROOT / ".ci" / "run").read_text("utf-8"), re.M)
    assert defined == parts()


def test_what_other_pythons_leave_out_is_there():
    text = (ROOT / ".ci" / "run").read_text("utf-8")
    (names,) = re.findall(r"ignored=\((.*?)\)\n", text, re.S)
    lists = " ".join(names.split())
    echo = ["bash", "-c", f"printf '%s\\n' {lists}"]
    names = subprocess.run(echo, capture_output=True, text=True, check=True).stdout.split()
    assert len(names) > 2
    assert [name for name in names if not (ROOT / "tests" / name).exists()] == []


def test_a_part_that_is_not_there_says_which_are():
    done = subprocess.run(
        ["bash", ROOT / ".ci" / "run", "gate", "nothing"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f".ci/run: expected one of: {' '.join(parts())}; got nothing\n"


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_are_named_by_commit_with_their_version(name):
    uses = re.findall(r"uses: (.*)", WORKFLOWS[name])
    assert uses
    pinned = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [action for action in uses if not pinned.fullmatch(action)] == []


def test_an_action_has_one_commit_everywhere():
    uses = set(re.findall(r"uses: (\S+)@(\S+)", "".join(WORKFLOWS.values())))
    assert len(uses) == len({action for action, _ in uses})


@pytest.mark.parametrize("name", WORKFLOWS)
def test_jobs_may_read_and_two_of_a_release_may_sign(name):
    workflow = WORKFLOWS[name]
    assert re.search(r"^permissions:\n  contents: read\n(?! )", workflow, re.M)
    more = {job: permissions(text) for job, text in jobs(workflow).items() if permissions(text)}
    signing = {"build": SIGNING, "publish": {"id-token: write"}}
    assert more == (signing if name == "release" else {})
    assert workflow.count(": write") == sum("write" in one for own in more.values() for one in own)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_no_checkout_leaves_its_token_to_what_runs_after_it(name):
    workflow = WORKFLOWS[name]
    kept = re.findall(
        r"uses: actions/checkout@.*\n(?!        with:\n          persist-credentials: false\n)",
        workflow,
    )
    assert kept == []


def test_provenance_is_attested_where_the_files_are_built():
    attesting = [name for name, job in jobs(WORKFLOWS["release"]).items() if "attest-build" in job]
    assert attesting == ["build"]
    # Before they are anywhere that another job could write to.
    assert BUILD.index("make wheels") < BUILD.index("attest-build") < BUILD.index("upload-artifact")


def test_what_pip_installs_from_an_index_has_hashes():
    for line in re.findall(r"pip install (.*)", "".join(WORKFLOWS.values())):
        assert "--require-hashes" in line or "--no-deps" in line, line


@pytest.mark.parametrize("name", ["same", "changed", "added", "removed", "renamed"])
def test_only_what_was_built_is_published(name, tmp_path):
    dist = tmp_path / "dist"
    dist.mkdir()
    for file in ("arenite-1.tar.gz", "arenite-1-py3-none-any.whl"):
        (dist / file).write_text(file)
    output = tmp_path / "output"
    assert run(script(BUILD, "Digests"), tmp_path, GITHUB_OUTPUT=str(output)) == 0
    digests = re.fullmatch(r"sha256<<(\w+)\n(.*)\n\1\n", output.read_text(), re.S)
    assert digests, output.read_text()

    wheel = dist / "arenite-1-py3-none-any.whl"
    if name == "changed":
        wheel.write_text("other")
    if name == "added":
        (dist / "arenite-1-cp313-cp313-linux_x86_64.whl").write_text("other")
    if name == "removed":
        wheel.unlink()
    if name == "renamed":
        wheel.rename(dist / "arenite-2-py3-none-any.whl")
    status = run(script(PUBLISH, "Compare"), tmp_path, DIGESTS=digests[2])
    assert (status == 0) is (name == "same")


def test_publishing_needs_the_digests_and_every_test():
    others = set(jobs(WORKFLOWS["release"])) - {"publish"}
    needs = re.search(r"needs: \[(.*)\]", PUBLISH)
    assert needs
    assert set(needs[1].split(", ")) == others
    assert "DIGESTS: ${{ needs.build.outputs.sha256 }}" in PUBLISH
    assert "sha256: ${{ steps.digests.outputs.sha256 }}" in BUILD
    assert PUBLISH.index("run: |") < PUBLISH.index("gh-action-pypi-publish")


def test_new_versions_of_actions_are_looked_for():
    text = (ROOT / ".github" / "dependabot.yml").read_text("utf-8")
    assert "package-ecosystem: github-actions" in text


def run(commands: str, folder: Path, **variables: str) -> int:
    """The exit code of a step, run as GitHub runs it."""
    shell = ["bash", "-e", "-c", commands]
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **variables}
    done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, check=False)
    return done.returncode

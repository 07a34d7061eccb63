"""Debian packages in a folder: of any architecture, by an apt whose state is that folder's own.

Nothing of the machine's own packages is read or changed, so nobody needs to be root. Where they
come from is what the machine's sources say, or the file that ``ARENITE_APT_SOURCES`` names.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

#: Of apt's downloads, in seconds.
PATIENCE = 120
HELP = (
    "expected package sources that have it (sources.list(5)): this machine's, or those in a file "
    "that ARENITE_APT_SOURCES names; Ubuntu keeps its packages for Arm on mirrors of their own"
)


class MissingError(Exception):
    """What is needed cannot be had here: what, why, and what to do."""


def needed(program: str, package: str) -> str:
    """A program's path.

    Raises:
        MissingError: It is not there.
    """
    found = shutil.which(program)
    if found is None:
        raise MissingError(f"{program} is missing: expected Debian or Ubuntu, with {package}")
    return found


def settings(folder: Path, architecture: str, sources: str | None = None) -> str:
    """A configuration of apt: everything that it reads and writes about packages is in a folder."""
    found = {
        "Dir::State": folder / "state",
        "Dir::Cache": folder / "cache",
        "Dir::State::status": folder / "status",
        "APT::Architecture": architecture,
        "APT::Install-Recommends": "false",
        "APT::Sandbox::User": "root",  # another user may not write into a home
        "Acquire::Languages": "none",
        "Acquire::Retries": "1",
        "Acquire::http::Timeout": "15",
        "Acquire::https::Timeout": "15",
    }
    if sources:
        found |= {"Dir::Etc::sourcelist": Path(sources).resolve(), "Dir::Etc::sourceparts": "-"}
    lines = [f'{name} "{value}";' for name, value in found.items()]
    return "\n".join([*lines, f'APT::Architectures {{ "{architecture}"; }};', ""])


def own_architecture() -> str:
    """What Debian calls this machine's processor.

    Raises:
        MissingError: dpkg, which says it, is not there.
    """
    command = [needed("dpkg", "dpkg"), "--print-architecture"]
    return subprocess.check_output(command, text=True).strip()


def program(root: Path, path: str) -> list[str]:
    """The command that starts a program of unpacked packages, with the C library of these."""
    loader = next(found for found in sorted(root.glob("**/ld-linux*.so.*")) if found.is_file())
    libraries = sorted({str(found.parent) for found in root.glob("**/lib*.so.*")})
    return [str(loader), "--library-path", ":".join(libraries), str(root / path)]


def unpack(folder: Path, architecture: str, packages: Sequence[str]) -> Path:
    """The folder ``root`` with packages and all that they depend on.

    What is there already stays: a folder has the packages that it was made with.

    Raises:
        MissingError: They cannot be had.
    """
    root, noted = folder / "root", folder / "packages.json"
    wanted = json.dumps([architecture, *packages])
    if noted.is_file() and noted.read_text("utf-8") == wanted:
        return root
    shutil.rmtree(folder, ignore_errors=True)
    for files in _download(folder, architecture, packages):
        subprocess.run([needed("dpkg-deb", "dpkg"), "--extract", files, root], check=True)
    noted.write_text(wanted, "utf-8")
    shutil.rmtree(folder / "state")
    shutil.rmtree(folder / "cache")
    return root


def _download(folder: Path, architecture: str, packages: Sequence[str]) -> list[Path]:
    archives = folder / "cache" / "archives"
    for made in (folder / "root", folder / "state" / "lists" / "partial", archives / "partial"):
        made.mkdir(parents=True)
    (folder / "status").touch()
    configuration = folder / "apt.conf"
    sources = os.environ.get("ARENITE_APT_SOURCES")
    configuration.write_text(settings(folder, architecture, sources), "utf-8")
    environment = {**os.environ, "APT_CONFIG": str(configuration), "LC_ALL": "C"}
    said = _apt(environment, "update")
    said += _apt(environment, "--yes", "--download-only", "install", *packages)
    found = sorted(archives.glob("*.deb"))
    if not found:
        raise MissingError(f"no {', '.join(packages)} for {architecture}: {HELP}; apt says\n{said}")
    return found


def _apt(environment: dict[str, str], *arguments: str) -> str:
    """The last lines that it says; whether it has done its work, its files tell."""
    command = [needed("apt-get", "apt"), "-qq", *arguments]
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"apt-get {arguments[0]}: no end within {PATIENCE} seconds\n"
    return "".join(f"  {line}\n" for line in done.stdout.splitlines()[-6:])

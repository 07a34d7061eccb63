"""``arenite which``: the builds behind a firmware's numbers."""

import json
import re

import arenite as ar
from arenite.analysis.which.builds import Options
from arenite.analysis.which.numbers import allocated
from arenite.target import Target


def test_the_command_says_it(arenite, model_file, tmp_path):
    used = allocated(ar.load(model_file), Target("cortex-m4"), Options()).total
    log = tmp_path / "serial.log"
    log.write_text(f"boot\nI (3) app: arena_used_bytes() = {used}\n")
    said = arenite("which", model_file, log)
    assert said.exit_code == 0
    assert re.search("to today.*CMSIS-NN", " ".join(said.stdout.split()))
    facts = json.loads(arenite("which", model_file, log, "--json").stdout)
    assert facts["given"] == {"total": used}
    assert facts["groups"][0]["builds"]

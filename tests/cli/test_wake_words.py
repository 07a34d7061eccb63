"""``arenite fit`` for streaming models."""

import json

from tests.shared import shared_wake_word


def test_a_manifest_that_asks_for_enough_exits_with_0(arenite):
    path = shared_wake_word("okay_nabu").with_suffix(".json")
    result = arenite("fit", "--manifest", path)
    assert result.exit_code == 0
    assert "okay_nabu.json says 26,080: enough; too little since release 1.2.1." in " ".join(
        result.stdout.split()
    )


def test_the_same_manifest_exits_with_1_for_a_later_release(arenite):
    path = shared_wake_word("okay_nabu").with_suffix(".json")
    result = arenite("fit", "--manifest", path, "--library-version", "1.2.1", "--json")
    assert result.exit_code == 1
    (model,) = json.loads(result.stdout)["models"]
    assert model["tensor_arena_size"] == 33_792
    assert model["manifest_fits"] is False


def test_the_line_for_a_manifest_is_printed_for_a_streaming_model_on_a_chip(arenite):
    result = arenite("fit", shared_wake_word("okay_nabu"), "--board", "esp32s3")
    assert result.exit_code == 0
    assert '"tensor_arena_size": 25824' in result.stdout.splitlines()


def test_two_models_have_two_verdicts_on_ram(arenite):
    models = [shared_wake_word(name) for name in ("vad", "okay_nabu")]
    result = arenite("fit", *models, "--board", "voice-pe", "--json")
    facts = json.loads(result.stdout)
    assert (facts["ram"], facts["internal_ram"], facts["psram"]) == (44_512, True, True)

"""The example that hears yes and no."""

import runpy
from pathlib import Path

import pytest

from tests.shared import ROOT, shared_model, shared_sample

SCRIPT = Path(__file__).resolve().parents[2] / "examples" / "micro_speech" / "listen.py"


@pytest.mark.parametrize("word", ["yes", "no", "silence"])
def test_it_hears_the_word(word: str, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    shared_model("audio_preprocessor_int8")
    sample = shared_sample(f"micro_speech/{word}_1000ms.wav")
    monkeypatch.setenv("ARENITE_SHARED", str(ROOT))
    runpy.run_path(str(SCRIPT))["main"]([str(sample)])
    time, _, heard, score = capsys.readouterr().out.split()
    assert (time, heard) == ("0.99", word)
    assert 0 < float(score) <= 1

"""Options that a command refuses: one message, an exit code, and no file."""

import pytest

#: ``MODEL`` is a model's file, ``DIR`` an empty folder.
REFUSED = [
    ("bench MODEL --against litert,onnx", 2, "expected some of litert,tflm,mnn, got 'onnx'"),
    ("board MODEL --target host", 2, "got 'host'"),
    ("board MODEL --stock", 2, "expected --stock and --tflm PATH together"),
    ("board MODEL --stock --tflm DIR", 2, "has no tensorflow/lite/micro, cmsis_nn"),
    ("board MODEL --stock --tflm DIR --ram 9k", 2, "are not TFLM's"),
    ("cost MODEL --target esp32s3", 2, "arenite fit says what is"),
    ("export MODEL -o DIR/out --abi ilp32", 2, "expected --library tflm"),
    ("export MODEL -o DIR/out --name a-b", 2, "'a_b'"),
    ("fit MODEL MODEL --ram 1k", 2, "without --ram"),
    ("fit MODEL --runtime esphome", 2, "ESPHome has no SOFTMAX"),
    ("memory MODEL --svg DIR/plan.png", 2, "expected a .svg file, got"),
    ("memory MODEL --target esp32s3 --library-version 1.5.0", 2, "1.2.6"),
    ("optimize MODEL --range nothing=0:1", 2, "expected an input of image, got 'nothing'"),
    ("optimize MODEL -o DIR/out.bin", 2, "expected a .tflite file, got"),
    ("quantize MODEL --data none --tflm-version zephyr-9", 2, "got 'zephyr-9'"),
    ("report MODEL -o DIR/page.pdf", 2, "expected a .html file, got"),
    ("run MODEL --output DIR/y.txt", 2, "expected a .npz file, got"),
    ("which MODEL", 2, "expected a LOG or --used BYTES, got neither"),
    ("which MODEL --used 7", 1, ""),
]


@pytest.mark.parametrize("refused", REFUSED, ids=lambda row: row[0])
def test_it_is_refused_with_a_message_and_nothing_is_written(
    arenite, model_file, tmp_path, refused
):
    command, code, words = refused
    for extra in ("unicorn", "ziglang") if command.startswith("board") else ():
        pytest.importorskip(extra)
    folder = tmp_path / "empty"
    folder.mkdir()
    names = {"MODEL": str(model_file)}
    arguments = [names.get(one, one.replace("DIR", str(folder))) for one in command.split()]
    result = arenite(*arguments)
    assert result.exit_code == code
    assert words in " ".join(result.stderr.split())
    assert list(folder.iterdir()) == []

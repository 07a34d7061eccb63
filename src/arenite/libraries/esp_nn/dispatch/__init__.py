"""Dispatch of esp-tflite-micro: which kernel runs, in which release, with how much scratch."""

"""TFLM's signal library: one file per operator, found by its name."""

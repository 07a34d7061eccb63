"""Custom operators of TFLM that are not of its signal library, one file each."""

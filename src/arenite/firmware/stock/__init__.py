"""TFLM's own kernels with CMSIS-NN, built from sources that a person has, on the emulated board."""

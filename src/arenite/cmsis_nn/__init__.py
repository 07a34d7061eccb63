"""CMSIS-NN, modelled: paths, scratch memory, and int8 convolution instruction by instruction.

CMSIS-NN is Arm's library of kernels for Cortex-M; TFLM calls it where it is built with
``OPTIMIZED_KERNEL_DIR=cmsis_nn``.
"""

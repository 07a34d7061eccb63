"""Kernels of exported firmware: a folder per kind of instruction set.

A function of a kernel raises ``UnsupportedError`` where a precondition does not hold; the text says
which.
"""

"""Digests of random models, for platforms where TFLM's package does not exist.

``cases.xz`` has models of every operator of TFLM, drawn by the operators' own tests, with inputs,
of which TFLM's package gave Arenite's outputs and arena; ``digests.json`` says what these are.
``python -m tests.digests --write`` makes both where the package is, ``--check`` compares.
"""

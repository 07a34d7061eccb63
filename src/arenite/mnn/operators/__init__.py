"""Operators that only ``.mnn`` files have: ``MNN_ONE_HOT`` is ``one_hot.py``."""

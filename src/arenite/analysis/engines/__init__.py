"""Engines on samples: other packages, boards, and models that hear window by window."""

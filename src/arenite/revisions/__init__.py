"""The TFLM that is really in a firmware: what changed upstream, a row per change.

``tflm.csv`` has the changes, :mod:`arenite.sdks` what known SDKs ship. A revision is a date; how it
differs from today's is the sum of the rows that came later. Today's is the default, and looks
nothing up.
"""

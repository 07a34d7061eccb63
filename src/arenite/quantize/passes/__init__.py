"""Ways to a better quantised model, one file each; what does not help is not kept.

A pass takes a recipe and gives others that may be better. The judge runs each of them in the
device's bits, on samples that the pass did not learn from.
"""

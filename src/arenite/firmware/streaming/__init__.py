"""Streaming: groups of layers that run row by row through rings of rows, nothing computed twice.

Inside of a group a tensor is a ring: memory for as many rows as the layers that read it still need.
The layer nearest to the group's end that has the rows it needs goes next, so few rows wait. A
layer's kernel is the one that any firmware has, for a layer of a few rows: it reads rows that lie
one behind the other, since rows that are still needed are moved to the ring's beginning when there
is no room behind them. That costs 1 to 3 % of the cycles, and no kernel has to know of rings.

``reach`` says which rows a layer reads, ``schedule`` who goes when and what is alive meanwhile,
``group`` what that takes, ``cuts`` which layers are grouped, ``driver`` is the C text, ``replay``
checks a plan byte by byte without a word of the others' code.
"""

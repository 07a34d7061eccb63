"""Decisions of CMSIS-NN for an operator, once: the function, why, its calls, its memory.

Each module has one operator's or family's ``decide(view, target)``. What it returns, a
:class:`~arenite.libraries.path.Path`, is kept on the node; what executes,
allocates, explains and counts reads it.
"""

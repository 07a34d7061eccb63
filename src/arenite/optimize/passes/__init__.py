"""The passes, one file each; a pass is the function of its file's name.

A file whose name begins with ``_`` is what passes share.
"""

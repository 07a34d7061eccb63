"""Other packages that run models, each in a process of its own: LiteRT and TFLM's own.

Bytes go in, arrays and JSON come out. Both packages end the process on some models. A peer gets
the user's own bytes: :func:`arenite.formats.content_of`.
"""

from arenite.peers.packages import Infer, Peer, hushed, is_installed, package_of
from arenite.peers.process import Answer, PeerError, PeerProcess, Step, Tensors, ask, times_of

#: Peers that answer in a process of their own.
ENGINES = ("litert", "litert-reference", "tflm")

__all__ = [
    "ENGINES",
    "Answer",
    "Infer",
    "Peer",
    "PeerError",
    "PeerProcess",
    "Step",
    "Tensors",
    "ask",
    "hushed",
    "is_installed",
    "package_of",
    "times_of",
]

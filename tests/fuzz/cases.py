"""Cases by number: every file is made from its seed and number alone."""

import numpy as np

from arenite.errors import ModelError
from tests.fuzz import nets, structure
from tests.fuzz.bytes import mutant, places_of
from tests.fuzz.rows import rows_of
from tests.fuzz.seeds import CORPORA

#: How many cases of a hundred are changed by their meaning; the others byte by byte.
BY_STRUCTURE = 70
#: Larger seeds are changed byte by byte only: they take long to write.
MAX_WRITTEN = 24_000


class Cases:
    """Makes cases by number."""

    def __init__(self, seed: int, corpus: str = "tflite") -> None:
        self.seed = seed
        self.is_net = corpus != "tflite"
        self._files = list(CORPORA[corpus]().values())
        self._places = [places_of(data) for data in self._files]
        self._rows = [rows_of(data) for data in self._files if len(data) <= MAX_WRITTEN]
        # Small files are quicker, and their structure is all there is to them.
        weights = np.array([(512 + len(data)) ** -0.7 for data in self._files])
        self._weights = weights / weights.sum()

    def file(self, number: int) -> bytes:
        """The broken file of a case."""
        rng = np.random.default_rng([self.seed, number])
        if rng.random() * 100 < BY_STRUCTURE:
            try:
                return self._changed(rng)
            except (ModelError, TypeError, AttributeError):  # a value fits no field: rare
                pass
        index = int(rng.choice(len(self._files), p=self._weights))
        return mutant(self._files[index], self._places[index], rng)

    def _changed(self, rng: np.random.Generator) -> bytes:
        root = self._some(rng)
        if self.is_net:
            return nets.mutant(root, rng)
        return structure.mutant(root, self._some, rng)

    def _some(self, rng: np.random.Generator) -> structure.Row:
        return self._rows[int(rng.integers(len(self._rows)))]

"""Random networks in random groups: every row of every layer is the reference's."""

from arenite.firmware.kernels.portable import portable_work
from tests.firmware.streaming.chains import random_programs, self_tests, write
from tests.ops.differential import CASES

COUNT = 6 if CASES <= 50 else 60


def test_rows_of_random_networks_are_the_references(tmp_path):
    programs = random_programs(COUNT, portable_work)
    assert len(programs) == COUNT
    folders = [write(one, model, tmp_path / one.name) for one, model in programs]
    printed = self_tests(tmp_path, folders)
    assert printed.count("PASS") == COUNT, printed

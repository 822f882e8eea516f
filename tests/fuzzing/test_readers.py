"""A sample of `make fuzz`: readers never raise, whatever they are given."""

import pytest

from tests.fuzzing.readers import READERS, fuzz


# EX-5 OP-7
@pytest.mark.parametrize("name", READERS)
def test_a_reader_ends_and_never_raises(name: str) -> None:
    assert fuzz(name, inputs=100, seed=20261122) == []

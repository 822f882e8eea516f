"""What a message names as the replacement, in the words of real tools; and what looks like advice and is none."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.causes.stated import advice_of, stated
from healing.model import Category, CIError

SAMPLES = Path(__file__).with_name("samples")


def samples(name: str) -> list[str]:
    """The messages of a file, one a line; lines that begin with `#` say what kind follows."""
    return [line for line in (SAMPLES / name).read_text().splitlines() if not line.startswith("#")]


# AF-3
@pytest.mark.parametrize("sample", samples("advice.txt"))
def test_the_one_replacement_that_a_message_names_is_read(sample: str) -> None:
    names, _, message = sample.partition(": ")
    old, new = names.split(" → ")
    advice = stated(message)
    assert advice is not None
    assert (advice.new, advice.olds) == (new, (old,))


# AF-3
@pytest.mark.parametrize("message", samples("no_advice.txt"))
def test_advice_that_leaves_a_choice_or_names_no_single_name_is_none(message: str) -> None:
    assert stated(message) is None


# AF-3
def test_the_rest_of_a_message_is_read_from_what_pytest_printed_below_it() -> None:
    safe = "To avoid this error in existing code, use `int` by itself. Doing this is safe. When replacing `np.int`, "
    excerpt = (
        ">   return np.int(x)\nE           AttributeError: module 'numpy' has no attribute 'int'.\n"
        f"E           `np.int` was a deprecated alias for the builtin `int`. {safe}you may wish to use e.g. `np.int64`."
    )
    message = "AttributeError: module 'numpy' has no attribute 'int'."
    error = CIError(id="E", tool="pytest", category=Category.TEST, message=message, excerpt=excerpt)
    advice = advice_of(error)
    assert advice is not None
    assert (advice.new, advice.olds, advice.whole) == ("int", ("np.int",), True)


def test_a_bare_word_is_plain_english_until_the_repository_has_it() -> None:
    plain = stated("f.get() is deprecated: use bytes instead")
    quoted = stated("`get` is deprecated: use `bytes` instead")
    assert plain is not None
    assert quoted is not None
    assert (plain.plain, quoted.plain) == (True, False)


WORDS = st.sampled_from(
    ["`a`", "use", "instead", "deprecated", "is", "or", ".", ",", "'b.c'", "if", "the", "x()", "\n"]
)


@given(st.text(max_size=80) | st.lists(WORDS, max_size=20).map(" ".join))
def test_no_message_makes_the_reading_fail(message: str) -> None:
    advice = stated(message)
    assert advice is None or advice.new not in advice.olds

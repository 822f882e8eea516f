"""A failure that only moved is no cure: what was hidden fails in the lines that were written."""

from healing.model import Category, CIError, Related
from healing.verify.moved import errors_for_want_of, errors_on_written_lines, written_lines
from healing.view import DictView
from tests.pipeline.bench import Bench

OLD, NEW = b"a\nb(\nc\n", b"a\nb()\nc\n"
VIEW = DictView({"src/a.py": NEW, "tests/test_a.py": b"\n" * 9})
CHANGED = {"src/a.py": (OLD, NEW)}


def crash(line: int, category: Category = Category.TEST) -> CIError:
    stack = (Related(file="tests/test_a.py", line=4), Related(file="src/a.py", line=line))
    return CIError(
        id="E1", tool="pytest", category=category, file="tests/test_a.py", line=4, message="TypeError", related=stack
    )


# CK-3
def test_only_a_crash_in_a_written_line_has_moved() -> None:
    assert errors_on_written_lines([crash(2)], CHANGED, VIEW) == (crash(2),)
    assert errors_on_written_lines([crash(3)], CHANGED, VIEW) == ()
    assert errors_on_written_lines([crash(2, Category.LINT)], CHANGED, VIEW) == ()


# CK-3
def test_a_name_that_the_change_took_away_was_not_hidden_before() -> None:
    def missing(name: str) -> CIError:
        message = f"module 'shop.misc' has no attribute '{name}'"
        return CIError(id="E1", tool="python", category=Category.RUNTIME, file="shop/__init__.py", message=message)

    renamed = {"shop/misc.py": (b"def couples(x):\n    return x\n", b"def pairs(x):\n    return x\n")}
    assert errors_for_want_of([missing("couples")], renamed) == (missing("couples"),)
    assert errors_for_want_of([missing("other")], renamed) == ()
    used = {"shop/use.py": (b"print(couples)\n", b"print(pairs)\n")}
    assert errors_for_want_of([missing("couples")], used) == (), "it was used there, and defined nowhere"


def test_written_lines_are_those_of_the_new_file() -> None:
    assert written_lines(OLD, NEW) == {2}
    assert written_lines(b"a\nb\n", b"new\na\nb\n") == {1}
    assert written_lines(None, b"a\nb\n") == {1, 2}
    assert written_lines(b"a\n", None) == set()


WHOLE = 'def halves(text, other):\n    left, right = text.split("."), other.split(".")\n    return left + right\n'
TESTS = (
    'from words import halves\n\n\ndef test_halves():\n    assert halves("a.b", "c") == ["a", "b", "c"]\n\n\n'
    'def test_one():\n    assert halves("a", "b") == ["a", "b"]\n'
)


# AF-3 CK-3
async def test_a_bracket_is_closed_where_the_tests_say_and_not_where_it_merely_parses(bench: Bench) -> None:
    """At the end of the line it parses too: `text.split(".", other.split("."))`, which no test survives."""
    slip = {"words.py": WHOLE.replace('text.split("."),', 'text.split(".",')}
    green = {"words.py": WHOLE, "test_words.py": TESTS}
    outcome = await bench.heal(green, slip, "python -m pytest -q", "ruff check .")
    assert outcome.verdict == "healed"
    (proposal,) = outcome.proposals
    assert proposal.source == "fixer:syntax_slip"
    assert WHOLE.splitlines()[1] in proposal.edits[0].new_string

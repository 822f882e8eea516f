"""What costs no tokens is repaired wherever it is broken, and every check runs no more often than the proofs need."""

from collections import Counter
from collections.abc import Awaitable, Callable

from healing.checks.check import command_check
from healing.pipeline.again import still_open
from healing.steps import Json, MemorySteps
from tests.pipeline.bench import Bench, Files, candidate

PYTEST, RUFF = "python -m pytest -q", "python -m ruff check ."


class Counted(MemorySteps):
    """Counts how often each check really ran, by its key."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: Counter[str] = Counter()

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        async def counted() -> Json:
            self.runs[key[0] if kind == "check" else kind] += 1
            return await fn()

        return await super().run(kind, key, counted)


def misspelt_in(count: int) -> tuple[Files, Files]:
    """A project, and a change of it that misspells the same name in so many files."""
    right = "def total{0}(prices):\n    amount = sum(prices)\n    return amount\n"
    test = "from m{0} import total{0}\n\n\ndef test_total{0}():\n    assert total{0}([1, 2]) == 3\n"
    base = {f"m{n}.py": right.format(n) for n in range(count)} | {f"test_m{n}.py": test.format(n) for n in range(count)}
    return base, {f"m{n}.py": base[f"m{n}.py"].replace("return amount", "return amuont") for n in range(count)}


# AF-3
async def test_the_same_slip_in_six_files_is_repaired_in_all_of_them(bench: Bench) -> None:
    base, change = misspelt_in(6)
    steps = Counted()
    outcome = await bench.heal(base, change, PYTEST, RUFF, steps=steps)
    assert outcome.verdict == "healed"
    assert {proposal.source for proposal in outcome.proposals} == {"fixer:misspelt_name"}
    assert len(outcome.proposals) == 6
    for command in (PYTEST, RUFF):
        runs = steps.runs[command_check(command).key]
        assert runs <= 6 + 2, f"`{command}` ran {runs} times: once at first, once for each fix, once for all together"


async def test_an_unused_name_that_is_used_misspelt_is_not_removed(bench: Bench) -> None:
    base = {"shop.py": "def total(prices):\n    return sum(prices)\n"}
    text = "def total(prices):\n    amount_a = amount_b = sum(prices)\n    return amount_c\n"
    outcome = await bench.heal(base, {"shop.py": text}, RUFF)
    assert outcome.proposals == ()
    assert {unfixable.reason for unfixable in outcome.unfixables} == {"no-key"}


RENAMED: Files = {
    "pyproject.toml": '[tool.ruff.lint]\nselect = ["F", "I"]\n[tool.pytest.ini_options]\npythonpath = ["src"]\n',
    "src/shop/__init__.py": "from shop._utils import double\n\n__all__ = ['double']\n",
    "src/shop/_utils.py": "def double(n):\n    return n * 2\n",
    "tests/test_shop.py": (
        "import pytest\n\nimport shop\nfrom shop._utils import double\n\n\n"
        "@pytest.mark.parametrize('n', [1, 2])\ndef test_double(n):\n    assert double(n) == shop.double(n) == n + n\n"
    ),
}


# AF-3
async def test_imports_are_not_sorted_by_a_module_that_was_renamed(bench: Bench) -> None:
    (base,) = bench.trees(RENAMED)
    moved = {"src/shop/_utils.py": None, "src/shop/_process.py": RENAMED["src/shop/_utils.py"].encode()}
    head = bench.git.write_tree(base, moved)
    outcome = await bench.heal_trees(base, head, moved, PYTEST, RUFF, on_pull=True)
    assert outcome.verdict == "healed"
    (proposal,) = outcome.proposals
    assert {edit.file: edit.new_string for edit in proposal.edits} == {
        "src/shop/__init__.py": "from shop._process import double\n",
        "tests/test_shop.py": "from shop._process import double\n",
    }
    assert proposal.flags[0] == "changes the tests: tests/test_shop.py, because this pull request renamed _utils"
    assert len(proposal.error_ids) == 2, "the linter's complaint came of the missing module"


LIMITS = """\
OLD = {"Top": "top", "Low": "low"}
top, low = 9, 1


def __getattr__(name):
    if name in OLD:
        raise AttributeError(f"`limits.{name}` was removed in release 2. Use `limits.{OLD[name]}` instead.")
    raise AttributeError(name)
"""


# AF-3
async def test_names_that_are_gone_are_replaced_one_after_another_in_one_fix(bench: Bench) -> None:
    base = {"limits.py": LIMITS, "test_span.py": "import span\n\n\ndef test_it():\n    assert span.width() == 8\n"}
    source = "import limits\n\n\ndef width():\n    top = limits.Top\n    return top - limits.Low\n"
    outcome = await bench.heal(base, {"span.py": source}, PYTEST)
    assert outcome.verdict == "healed"
    (proposal,) = outcome.proposals
    assert proposal.source == "fixer:named_replacement"
    assert proposal.title == "Use `limits.top` instead of `limits.Top`, use `limits.low` instead of `limits.Low`"
    new = "".join(edit.new_string for edit in proposal.edits)
    assert ("limits.top" in new, "limits.low" in new) == (True, True)


# AF-1
async def test_a_formatter_is_in_use_where_it_complains_whatever_calls_it(bench: Bench) -> None:
    base = {"shop.py": "x = 1\n", "lint.sh": "exec python -m ruff format --check .\n"}
    outcome = await bench.heal(base, {"shop.py": "x  =  1\n"}, "sh lint.sh")
    assert [proposal.source for proposal in outcome.proposals] == ["autofix:ruff-format"]


async def test_errors_move_with_the_lines_that_fixes_add_above_them(bench: Bench) -> None:
    verifier = await bench.verifier({"a.py": "import os\n\nprint(x)\nprint(y)\n"}, RUFF)
    head, errors = verifier.integration, tuple(verifier.errors.values())
    fix = candidate(verifier, ("a.py", "print(x)\n", "x = 1\nprint(x)\n"), of=lambda error: "`x`" in error.message)
    assert (await verifier.submit(fix)).accepted
    left = await still_open(verifier, head, errors)
    assert sorted((error.line, error.message) for error in left) == [
        (1, "`os` imported but unused"),
        (5, "Undefined name `y`"),
    ]


async def test_an_error_whose_own_line_was_changed_is_asked_for_again(bench: Bench) -> None:
    verifier = await bench.verifier({"a.py": "print(x, yy)\n"}, RUFF)
    head, errors = verifier.integration, tuple(verifier.errors.values())
    fix = candidate(verifier, ("a.py", "print(x, yy)\n", "print(1000, yy)\n"), of=lambda error: "`x`" in error.message)
    assert (await verifier.submit(fix)).accepted
    (left,) = await still_open(verifier, head, errors)
    assert (left.message, left.column) == ("Undefined name `yy`", 13)

"""Checks that are called from a Makefile, a script, a noxfile and the like, with their option to write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.repair.tools.applying import Autofix
from healing.repair.tools.sibling_goals import writing_goals
from healing.repair.tools.write_mode import in_write_mode
from tests.pipeline.bench import Bench
from tests.repair.tools.test_rewriting import applied


# AF-1
@pytest.mark.parametrize(
    ("text", "writes", "tools"),
    [
        ("lint:\n\t@black --check -q src\n", "lint:\n\t@black -q src\n", ("black",)),
        ("B := black\nlint:\n\t$(B) --check $(PY)\n", "B := black\nlint:\n\t$(B) $(PY)\n", ("black",)),
        ("\t$(VENV)/bin/yapf --diff x\n", "\t$(VENV)/bin/yapf --in-place x\n", ("yapf",)),
        ('@test -z "$$(gofmt -l .)"', '@test -z "$$(gofmt -w .)"', ("gofmt",)),
        ("if ! shfmt -d -i 2 .; then", "if ! shfmt -w -i 2 .; then", ("shfmt",)),
        ("commands=black --check \\\n  --diff src", "commands=black src", ("black",)),
        ('session.run("yapf", "--diff", *SRC)', 'session.run("yapf", "--in-place", *SRC)', ("yapf",)),
        (
            "call(['fourmolu',\n '--mode', 'check', 'a'])",
            "call(['fourmolu', \"--mode\", \"inplace\", 'a'])",
            ("fourmolu",),
        ),
        ('c.run("black --check -q a.py")', 'c.run("black -q a.py")', ("black",)),
        ('{"l":"prettier -c .","t":"jest -c x"}', '{"l":"prettier --write .","t":"jest -c x"}', ("prettier",)),
        ("npx eslint src && xo .", "npx eslint --fix src && xo --fix .", ("eslint", "xo")),
        ("cargo fmt --all -- --check", "cargo fmt --all --", ("cargo",)),
        ("deps =\n  black==24.1\n  codespell\n", "deps =\n  black==24.1\n  codespell\n", ()),
        ("lint:\n\trubocop\n", "lint:\n\trubocop --autocorrect\n", ("rubocop",)),
        ("black src; jest --check", "black src; jest --check", ()),
        ("pip install eslint-black --check", "pip install eslint-black --check", ()),
    ],
)
def test_known_checks_in_a_text_get_their_option_to_write(text: str, writes: str, tools: tuple[str, ...]) -> None:
    assert in_write_mode(text) == (writes, tools)


# AF-1
@given(
    st.text(alphabet=" \t\n\\\"'(),;&|$@./-=:{}abkcl", max_size=200),
    st.sampled_from(["black --check", '"black", "-c"']),
)
def test_a_text_without_a_known_check_is_not_changed(text: str, call: str) -> None:
    writes, tools = in_write_mode(text + call.replace("black", "bleak"))
    assert (writes, tools) == (text + call.replace("black", "bleak"), ())


# AF-1
@given(st.text(max_size=300))
def test_a_text_that_writes_stays_as_it_is(text: str) -> None:
    once, _ = in_write_mode(f"{text}\nblack --check {text}")
    assert in_write_mode(once)[0] == once or "--" in text


YAPF = """\
#!/bin/sh
case "$1" in
  --in-place) sed -i s/BAD/good/ "$2" ;;
  --diff) test "$(cat "$2")" = good ;;
esac
"""


# AF-1, JD-4
async def test_a_tool_that_make_calls_silently_writes_and_the_makefile_stays(bench: Bench) -> None:
    files = {
        "Makefile": "-include own.mk\nFILE = a.py\nlint:\n\t@sh ./yapf --diff $(FILE)\n",
        "yapf": YAPF,
        "a.py": "BAD\n",
    }
    verifier, _ = await applied(bench, "make lint", files)
    (proposal,) = verifier.accepted
    assert (proposal.source, [edit.file for edit in proposal.edits]) == ("autofix:yapf", ["a.py"])
    assert "What `make lint` writes" in proposal.explanation


MAKEFILE = ".PHONY: lint fmt-check fmt\nfmt-check:\n\t@./format check\nfmt:\n\t@./format\nlint-fix: fmt\ntest:\n"


# AF-1
@pytest.mark.parametrize(
    ("call", "goals"),
    [
        ("make fmt-check", ("make fmt",)),
        ("make lint", ("make lint-fix",)),
        ("make test", ()),
        ("make fmt", ("make lint-fix",)),
        ("npm run lint", ("npm run lint:fix",)),
        ("npm run format:check", ("npm run format",)),
        ("npm run style", ("npm run format", "npm run lint:fix")),
        ("npm test", ()),
        ("just lint", ()),
        ("make lint | tee log", ()),
    ],
)
def test_goals_that_write_are_known_by_their_names(call: str, goals: tuple[str, ...]) -> None:
    scripts = (
        b'{"scripts": {"lint": "a", "lint:fix": "b", "format:check": "c", "format": "d", "test": "e", "a b": "f"}}'
    )
    files = {"Makefile": MAKEFILE.encode(), "package.json": scripts}
    assert writing_goals(call, ".", files.get) == goals


# AF-1, JD-4
async def test_the_repositorys_own_goal_writes_what_another_one_checks(bench: Bench) -> None:
    script = '#!/bin/sh\nif [ "$1" = check ]; then ! grep -q BAD a.py; else sed -i s/BAD/good/ a.py; fi\n'
    makefile = MAKEFILE.replace("./format", "sh ./format")
    verifier, _ = await applied(bench, "make fmt-check", {"Makefile": makefile, "format": script, "a.py": "BAD\n"})
    (proposal,) = verifier.accepted
    assert (proposal.source, proposal.edits[0].new_string) == ("autofix:make fmt", "good\n")
    assert "code of this branch" in proposal.explanation


PRETTIER = """\
#!/bin/sh
[ "$1" = --write ] && exec sed -i s/BAD/good/ a.js
grep -q BAD a.js || exit 0
printf 'Checking formatting...\\n[warn] a.js\\n'
echo '[warn] Code style issues found in the above file. Run Prettier with --write to fix.'
exit 1
"""


# AF-1
async def test_a_tool_that_only_the_command_finds_writes_there_and_is_not_said_to_be_missing(bench: Bench) -> None:
    makefile = "-include own.mk\nlint:\n\t@sh own/prettier --check a.js\n"
    files = {"Makefile": makefile, "own/prettier": PRETTIER, "a.js": "BAD;\n"}
    verifier, not_looked = await applied(bench, "make lint", files)
    (proposal,) = verifier.accepted
    assert (proposal.source, proposal.edits[0].new_string, not_looked) == ("autofix:prettier", "good;\n", [])


# AF-1
@pytest.mark.parametrize("part", ["black ", "\trubocop ", "$(B) ", '"black", ', "a/"])
def test_a_long_line_of_calls_is_read_in_one_go(part: str) -> None:
    text = "B = black\n" + part * (190_000 // len(part))
    assert in_write_mode(text)[0].startswith("B = black\n")


# AF-1
async def test_the_same_tool_writes_for_each_check_that_calls_it(bench: Bench) -> None:
    makefile = "-include own.mk\none:\n\t@sh ./yapf --diff a.py\ntwo:\n\t@sh ./yapf --diff a.txt.py\n"
    files = {"Makefile": makefile, "yapf": YAPF, "a.py": "BAD\n", "a.txt.py": "BAD\n"}
    verifier = await bench.verifier(files, "make one", "make two")
    await Autofix(verifier, [], frozenset({"a.py", "a.txt.py"})).run(tuple(verifier.errors.values()))
    assert {edit.file for proposal in verifier.accepted for edit in proposal.edits} == {"a.py", "a.txt.py"}

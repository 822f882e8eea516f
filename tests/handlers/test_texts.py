"""Every text that Heal posts by itself, as it stands on the page."""

# ruff: noqa: E501  (pages have long lines)

import pytest
from inline_snapshot import snapshot

from handlers.comments import answers, fixup, parts, sticky, suggestion, summary
from healing.model import Culprit, Outcome, Related, Spending
from tests.handlers.texts import ERRORS, FIX, LOST, OUTCOME, SHA, STORED, unpacked


# GH-2
def test_a_fix_beside_errors_of_others_names_the_error_that_is_gone_and_how_the_count_fell() -> None:
    item = FIX.evidence[0].model_copy(update={"after_exit": 1, "note": "11 → 10 errors"})
    text = parts.evidence(FIX.model_copy(update={"evidence": (item,)}), ERRORS)
    title = "Proof: F821 at calc.py:2 is gone, 11 → 10 errors (tested in Heal's sandbox)"
    assert text.startswith(f"<details><summary>{title}</summary>")
    assert "`ruff check .` still fails because of other errors, but F821 at calc.py:2 is gone: 11 → 10 errors." in text
    assert "exit" not in text, "the same exit code twice shows nothing"


# GH-2
@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"runs": 3}, "`ruff check .` fails (exit code 1) without the fix and passes 3 times in a row with it."),
        ({"before_exit": None}, "`ruff check .` does not end without the fix and passes with it."),
        ({"after_exit": None}, "`ruff check .` does not end, with or without the fix, but F821 at calc.py:2 is gone."),
        ({"note": "12 tests"}, "`ruff check .` fails (exit code 1) without the fix and passes with it. 12 tests."),
    ],
)
def test_the_proof_says_in_a_sentence_what_a_command_showed(fields: dict[str, object], sentence: str) -> None:
    item = FIX.evidence[0].model_copy(update=fields)
    assert sentence in parts.evidence(FIX.model_copy(update={"evidence": (item,)}), ERRORS).splitlines()


# GH-2
def test_a_suggestion() -> None:
    assert suggestion.suggestion(FIX, 1, 1, "import math\n\n\ndef area(r):\n", ERRORS) == snapshot("""\
**Import math**

Fixes `ruff F821`: Undefined name `math` at `calc.py:2`

`math` was used without an import. Thanks ＠ada, see ＃12 and `https://evil.example/x` &lt;b&gt;.

```suggestion
import math


def area(r):
```

<details><summary>Proof: fails without the fix, passes with it (tested in Heal's sandbox)</summary>

`ruff check .` fails (exit code 1) without the fix and passes with it.

Without the fix (git tree `aaaaaaaaaaaa`):

```text
calc.py:2:12: F821 Undefined name `math`
Found 1 error.
```

With the fix (git tree `bbbbbbbbbbbb`):

```text
All checks passed!
```

</details>

<sub>`a2a4c471` · confidence 90 of 100, cost $0.02 · `/heal help` lists the commands</sub>

<!-- heal:v1 proposal=a2a4c471b8050c99 part=1/1 -->\
""")


# GH-2
def test_a_deletion_in_two_parts_with_hidden_characters() -> None:
    bare = FIX.model_copy(update={"evidence": (), "explanation": "", "error_ids": ("E8", "E9")})
    assert suggestion.suggestion(bare, 2, 2, "", ERRORS) == snapshot("""\
**Import math** · Part 2 of 2

Fixes 2 errors

Commit all parts in one batch (*Add suggestion to batch* on each): they were tested together. `/heal apply a2a4c471` commits them all in one go.

Delete these lines:

```suggestion
```

<sub>`a2a4c471` · confidence 90 of 100, cost $0.02 · `/heal help` lists the commands</sub>

<!-- heal:v1 proposal=a2a4c471b8050c99 part=2/2 -->\
""")
    assert suggestion.suggestion(bare, 1, 3, "x = '\u202e```'\n", ERRORS) == snapshot("""\
**Import math** · Part 1 of 3

Fixes 2 errors

Commit all parts in one batch (*Add suggestion to batch* on each): they were tested together. `/heal apply a2a4c471` commits them all in one go.

⚠ This code has hidden characters: U+202E. Review carefully.

````suggestion
x = '\u202e```'
````

No proof is stored for this fix.

<sub>`a2a4c471` · confidence 90 of 100, cost $0.02 · `/heal help` lists the commands</sub>

<!-- heal:v1 proposal=a2a4c471b8050c99 part=1/3 -->\
""")


# GH-1
def test_the_bodies_of_reviews() -> None:
    assert suggestion.review("fast", SHA, "<!-- m -->") == snapshot("""\
Fixes for syntax, imports, types and lint. Each was tested on `0123456789ab`: commit the ones you want.

<!-- m -->\
""")
    assert suggestion.renewal((FIX,), SHA, "<!-- m -->") == snapshot("""\
1 fix from an earlier commit (`a2a4c471`) still applies and was tested again on `0123456789ab`.

<!-- m -->""")


# GH-3
def test_the_check_runs_summary() -> None:
    assert summary.summary_title(OUTCOME, 1) == snapshot("1 of 2 errors has a tested fix; 1 needs you")
    assert summary.summary(OUTCOME, {FIX.id: "suggestion"}, take="Commit it.") == snapshot("""\
Commit it.

| Fix | Change | Confidence | Cost | Offered as |
|---|---|---|---|---|
| `a2a4c471` | Import math | 90 of 100 | $0.02 | suggested change |

| Error | Where | Result |
|---|---|---|
| `ruff F821`: Undefined name `math` | `calc.py:2` | fix `a2a4c471` |
| `ruff F821`: a \\| b | no file | needs you: `UNFIX123` |

**Needs you:**

- `UNFIX123` `ruff F821`: Undefined name `math` at `calc.py:2`: No tool could cure it and no model is configured. *What you can do:* Set ANTHROPIC\\_API\\_KEY, then say /heal retry.

**Couldn't check:**

- job `docs`: its log is gone. *What you can do:* Re-run the job.

**Cost:** $0.02 for 3 model calls (10,000 tokens in, 90% of them cached; 700 out). Took 34 s.

<sub>Run `run1` · `/heal help` lists the commands</sub>\
""")


# CK-6
def test_the_summary_counts_what_was_kept_from_getting_worse() -> None:
    outcome = OUTCOME.model_copy(update={"regressions_prevented": 2})
    assert "Heal discarded 2 more fixes, because each would have broken something else." in summary.summary(outcome, {})


# AF-6, GH-2
def test_the_summary_names_the_changes_own_lines_that_broke_a_check() -> None:
    places = tuple(Related(file=f"src/`a`{n}.py", line=n) for n in range(1, 8))
    culprit = Culprit(error_ids=("E1",), places=places, of=9, runs=12)
    reported = summary.summary(OUTCOME.model_copy(update={"culprits": (culprit,)}), {})
    assert reported[reported.index("**Likely cause:**") :].split("\n\n")[1] == snapshot(
        "- `ruff F821`: Undefined name `math`: the error goes away when this pull request's change at ``src/`a`1.py:1``, ``src/`a`2.py:2``, ``src/`a`3.py:3``, ``src/`a`4.py:4``, ``src/`a`5.py:5`` and 2 more is undone"
    )


# GH-3, EX-9, LM-7
def test_the_summary_of_nothing() -> None:
    nothing = Outcome(verdict="could-not-look", run_id="run1", not_looked=(LOST,))
    assert summary.summary_title(nothing, 0) == snapshot("Couldn't check this failure")
    assert summary.summary(nothing, {}) == snapshot("""\
Heal didn't look for a fix. See below for the reason and what you can do.

**Couldn't check:**

- job `docs`: its log is gone. *What you can do:* Re-run the job.

**Cost:** $0.00, no AI used.

<sub>Run `run1` · `/heal help` lists the commands</sub>\
""")
    assert parts.cost(Spending(estimate_dollars=0.31)) == snapshot(
        "$0.00, no AI used. Asking a model about the rest would cost about $0.31."
    )


# OP-3
def test_calls_in_flight_that_brought_no_reply_are_named_where_the_cost_is_shown() -> None:
    lost = Spending(calls=2, lost=1, input_tokens=10, output_tokens=5, dollars=0.5)
    assert parts.cost(lost) == snapshot(
        "$0.50 for 2 model calls (10 tokens in, 0% of them cached; 5 out), 1 call without a reply counted in full."
    )
    assert "No model was asked" not in parts.cost(Spending(lost=1, dollars=0.2))


# GH-3, GH-10
def test_progress_and_why_nothing_was_done() -> None:
    assert summary.progress("running `pytest`") == snapshot("In progress: running `pytest`.")
    assert summary.skipped("it is a draft. Mark it ready, or say `/heal`.") == snapshot(
        "Skipped: it is a draft. Mark it ready, or say `/heal`."
    )


OTHER = {"id": "ffff0000", "dollars": 0.0}


# LM-6
@pytest.mark.parametrize(
    ("dollars", "output"), [(0.0, "free"), (0.0004, "less than $0.01"), (0.01, "$0.01"), (1.239, "$1.24")]
)
def test_each_proposal_says_what_it_cost(dollars: float, output: str) -> None:
    proposal = FIX.model_copy(update={"dollars": dollars})
    assert parts.price(proposal) == output
    item = STORED.model_copy(update={"proposal": proposal})
    outcome = OUTCOME.model_copy(update={"proposals": (proposal,)})
    texts = (
        suggestion.suggestion(proposal, 1, 1, "import math\n", ERRORS),
        sticky.sticky(SHA, (item,)),
        summary.summary(outcome, {}),
        fixup.fixup_body((proposal,), ERRORS, "heal/x/1", "main", SHA),
        answers.shown_proposal(item, ERRORS, None),
    )
    assert all(output in text for text in texts)


# GH-4
@pytest.mark.parametrize(
    ("status", "apply", "rollback"),
    [("offered", True, False), ("applied", False, True), ("rejected", False, False), ("outdated", False, False)],
)
def test_the_sticky_comment_names_only_commands_that_do_something(status: str, apply: bool, rollback: bool) -> None:
    text = sticky.sticky(SHA, (STORED.model_copy(update={"status": status}),))
    assert ("/heal apply all" in text, "/heal reject" in text, "/heal rollback" in text) == (apply, apply, rollback)
    assert "/heal help" in text


# GH-4 UX-3
@pytest.mark.parametrize(
    ("statuses", "heading"),
    [
        ("offered applied", "1 tested fix to review"),
        ("pending pending", "2 tested fixes being prepared"),
        ("applied", "the fix is applied"),
        ("applied applied muted", "both fixes are applied"),
        ("applied applied applied", "all 3 fixes are applied"),
        ("rejected applied outdated rejected", "no fixes left to review (2 rejected, 1 applied, 1 outdated)"),
        ("muted", "no fixes left to review"),
    ],
)
def test_the_sticky_comments_heading_says_what_waits_or_what_became_of_the_fixes(statuses: str, heading: str) -> None:
    stored = tuple(STORED.model_copy(update={"status": status}) for status in statuses.split())
    assert sticky.sticky(SHA, stored).splitlines()[0] == f"### Heal: {heading}"


# GH-4
def test_the_sticky_comment() -> None:
    patched = STORED.model_copy(update={"delivery": "patch", "proposal": FIX.model_copy(update=OTHER)})
    assert unpacked(sticky.sticky(SHA, (STORED, patched), (("ffff0000", "--- a/x\n+++ b/x\n"),))) == snapshot("""\
### Heal: 2 tested fixes to review

- **open** `a2a4c471`: Import math · cost $0.02 (suggested change)
- **open** `ffff0000`: Import math · free (patch)

<details><summary>Patch of fix ffff0000</summary>

In the repository's root, run this command, or save the diff below it as `heal-ffff0000.patch` and run `git apply heal-ffff0000.patch`:

```sh
printf %s '…' | base64 -d | gzip -d | git apply
```

```diff
--- a/x
+++ b/x
```

</details>

`/heal apply all` commits the open fixes. `/heal reject <id>` drops one.

<sub>As of `0123456789ab` · details in the check run “Heal” · `/heal help` lists the commands</sub>

<!-- heal:v1 sticky -->\
""")


# GH-5
def test_the_fixup_pull_request() -> None:
    needy = FIX.model_copy(update={"needs": ("abcd1234ffff",)})
    assert fixup.fixup_title((FIX,), "#5") == snapshot("fix: import math (for #5)")
    assert fixup.fixup_title((FIX, needy), "#5") == snapshot("fix: 2 fixes by Heal (for #5)")
    assert fixup.fixup_body((needy,), ERRORS, "heal/run1/1", "faster", SHA) == snapshot("""\
1 tested fix for `faster`, on top of `0123456789ab`. Merge this pull request to apply it, close it to reject it. Heal will request reviews once CI passes here.

To take this commit onto your own branch: `git fetch origin heal/run1/1 && git cherry-pick ..FETCH_HEAD`

#### `a2a4c471` Import math · confidence 90 of 100, cost $0.02

Fixes `ruff F821`: Undefined name `math` at `calc.py:2`

`math` was used without an import. Thanks ＠ada, see ＃12 and `https://evil.example/x` &lt;b&gt;.

Needs `abcd1234` first.

<details><summary>Proof: fails without the fix, passes with it (tested in Heal's sandbox)</summary>

`ruff check .` fails (exit code 1) without the fix and passes with it.

Without the fix (git tree `aaaaaaaaaaaa`):

```text
calc.py:2:12: F821 Undefined name `math`
Found 1 error.
```

With the fix (git tree `bbbbbbbbbbbb`):

```text
All checks passed!
```

</details>

<!-- heal:v1 fixup branch=heal/run1/1 -->\
""")


# SC-5
def test_the_rollback_pull_request() -> None:
    assert fixup.rollback_title((STORED,)) == snapshot("revert: import math (Heal's fix a2a4c471)")
    assert fixup.rollback_body((STORED,), "ada", "heal/rollback/9") == snapshot("""\
`ada` asked to revert the fix below. Merge this pull request to revert it; Heal can't commit to the branch directly.

- `a2a4c471`: Import math

<!-- heal:v1 fixup branch=heal/rollback/9 -->\
""")

"""Every answer to a command, as it stands on the page."""

# ruff: noqa: E501  (pages have long lines)

from inline_snapshot import snapshot

from handlers.comments import answers, reasons, rollback_answers, starting
from handlers.model.edit_conflict import EditConflict
from handlers.slash import FOR_ANYONE, HELP
from tests.handlers.texts import ERRORS, FIX, REPORT, RUN, SHA, STORED, unpacked


# SC-1
def test_help() -> None:
    assert HELP.text() == snapshot("""\
Write a command at the start of a line. In a reply to a suggestion, you can leave out the id.

| Command | What it does | Who can use it |
|---|---|---|
| `/heal` | Runs Heal now, even on a draft or a pull request from a fork. | write access |
| `/heal dry-run` | Finds and tests fixes without posting them; the check run lists them. | write access |
| `/heal list` | Lists the fixes of this pull request. | anyone |
| `/heal show <id>` | Shows a fix with its change and its proof. | anyone |
| `/heal apply <id…\\|all>` | Tests fixes again on the current commit and commits them. | write access |
| `/heal pr <id…\\|all>` | Tests fixes again on the current commit and opens a pull request with them. | write access |
| `/heal reject <id…> [why]` | Drops fixes. The AI model reads the reason when it works on the same errors again. | write access |
| `/heal rollback <id…\\|run>` | Reverts applied fixes in one commit, including suggestions that were committed on GitHub. `run` stands for all fixes of the latest run. | write access |
| `/heal unfixable` | Lists the errors that have no fix, why, and what you can do. | anyone |
| `/heal retry [id] [how: hint]` | Runs again, for everything or for one id; a hint guides the AI model. | write access |
| `/heal snapshots` | Updates stale test snapshots. Use it when the new output is right. | write access |
| `/heal cancel` | Ends the run in progress; the check run keeps what it found. | write access |
| `/heal explain <id>` | Explains where an error comes from, or how a fix came about. | write access |
| `/heal status` | Shows what Heal is doing, and the results so far. | anyone |
| `/heal cost` | Shows what was spent on this pull request. | write access |
| `/heal pause` | Pauses Heal on this pull request until `/heal resume`. Commands are still answered. | write access |
| `/heal resume` | Ends `/heal pause`: open fixes are tested on the current commit, and Heal runs if checks have failed. | write access |
| `/heal on` | Ends trial mode in this repository: Heal offers its fixes. | write access |
| `/heal off` | Goes back to trial mode: Heal posts only its check run in this repository. | write access |
| `/heal config` | Shows the settings of this repository and errors in `.github/heal.yml`. | write access |
| `/heal help` | Shows this list. | anyone |\
""")


# SC-2, SC-3
def test_unknown_commands_and_refusals() -> None:
    assert answers.unknown_command("aply", "apply", "HELP") == snapshot("""\
Unknown command `/heal aply`. Did you mean `/heal apply`?

<details><summary>All commands</summary>

HELP

</details>""")
    assert answers.unknown_command("@x", None, "HELP") == snapshot("""\
Unknown command `/heal @x`.

<details><summary>All commands</summary>

HELP

</details>""")
    assert answers.may_not("apply", "eve", FOR_ANYONE) == snapshot(
        "`/heal apply` needs write access to this repository, which `eve` doesn't have. Nothing was "
        "changed. Ask somebody with write access; `/heal list`, `/heal show`, `/heal unfixable`, "
        "`/heal status` and `/heal help` work for everybody."
    )
    assert answers.apology("run1") == snapshot(
        "Heal hit an internal error while handling this command. Repeat the command. If it happens again, send your Heal admin this reference: `run1`."
    )


# SC-1
def test_the_list_of_fixes() -> None:
    assert answers.proposal_list(()) == snapshot(
        "No fix for this pull request yet. The check run “Heal” says why. Comment `/heal retry` to run again."
    )
    assert answers.proposal_list(
        (STORED, STORED.model_copy(update={"status": "rejected", "reason": "no"}))
    ) == snapshot("""\
2 fixes:

- **open** `a2a4c471` Import math (suggested change)
- **rejected** `a2a4c471` Import math: no

`/heal show <id>` shows one with its proof.\
""")


def test_one_fix_in_full() -> None:
    assert unpacked(answers.shown_proposal(STORED, ERRORS, "--- a/calc.py\n")) == snapshot("""\
**open** `a2a4c471` **Import math** (suggested change)

Made by an AI model: confidence 90 of 100, cost $0.02.

Fixes:
- `ruff F821`: Undefined name `math` at `calc.py:2`

`math` was used without an import. Thanks ＠ada, see ＃12 and `https://evil.example/x` &lt;b&gt;

<details><summary>The change</summary>

```diff
--- a/calc.py
```

</details>

<details><summary>Apply it locally</summary>

Run this in the repository's root. It applies the same change, as a compressed patch:

```sh
printf %s '…' | base64 -d | gzip -d | git apply
```

</details>

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

`/heal apply a2a4c471` commits it · `/heal reject a2a4c471 [why]` drops it\
""")


# SC-4
def test_the_answers_to_apply() -> None:
    done = answers.applied_line(FIX.id, SHA)
    assert answers.applied((done, answers.already_line(FIX.id)), 2) == snapshot("""\
- `a2a4c471` was tested again and committed as `0123456789ab`.
- `a2a4c471` is already on the branch.

`/heal rollback <id>` reverts one.""")
    assert answers.applied(
        (answers.refused_line(FIX.id, "calc.py: the old text is not there"),), 0, missed=1
    ) == snapshot("""\
- `a2a4c471` was **not** applied: calc.py: the old text is not there.

`/heal retry` looks for another fix.\
""")
    assert answers.fork_patch((answers.no_patch(FIX.id, reasons.NOT_FITTING),)) == snapshot("""\
Nothing was changed: this pull request comes from a fork, and Heal never pushes to forks. Commit the suggested change on this pull request, or apply the patch:

Heal can't show a patch of `a2a4c471`: it no longer applies to this branch. `/heal retry` looks for another fix.\
""")
    assert answers.closed(5) == snapshot(
        "Nothing was changed: pull request #5 is closed. Reopen it and repeat the command."
    )
    assert answers.moved() == snapshot(
        "Nothing was committed: the branch changed while the fix was being tested. Repeat the command to test it on the current commit."
    )
    assert answers.no_pull(5) == snapshot(
        "Nothing was done: Heal can't read pull request #5, because GitHub answers “not found” (404). Ask your Heal admin to check that Heal's GitHub App is installed on this repository and may read pull requests. Then repeat the command."
    )


# SC-1
def test_the_answers_to_reject() -> None:
    assert answers.rejected((FIX.id,), "too clever @ada") == snapshot(
        "Rejected `a2a4c471`; it won't be offered on this pull request again. Reason: too clever ＠ada."
    )
    assert answers.rejected((FIX.id,), "") == snapshot(
        "Rejected `a2a4c471`; it won't be offered on this pull request again. You can add a reason after the id."
    )
    assert answers.reject_applied((FIX.id,)) == snapshot(
        "Nothing was rejected: `a2a4c471` is already on the branch. `/heal rollback a2a4c471` reverts it."
    )


# SC-5
def test_the_answers_to_rollback() -> None:
    assert rollback_answers.rolled_back((FIX.id,), SHA) == snapshot(
        "Reverted `a2a4c471` in `0123456789ab`; the changed lines are exactly as they were before the fix. `/heal retry` looks for another fix."
    )
    assert rollback_answers.rollback_pull((FIX.id,), 50) == snapshot(
        "The branch is protected, so Heal can't commit to it. Merge pull request #50 to revert `a2a4c471`."
    )
    assert rollback_answers.conflict(
        FIX.id, EditConflict(file="calc.py", kind="text-gone", lines=(3,), was="a", now="c"), "-a\n+b\n"
    ) == snapshot("""\
**Nothing was changed:** `a2a4c471` can't be reverted cleanly, because line 3 of `calc.py` has changed from `a` to `c`.

To do it by hand, this is the reverse change:

```diff
-a
+b
```\
""")
    assert rollback_answers.not_applied((FIX.id,)) == snapshot(
        "Nothing to revert: `a2a4c471` is not on the branch. `/heal list` shows what is."
    )
    assert rollback_answers.fork_rollback((FIX.id,)) == snapshot(
        "`a2a4c471` was not reverted: this pull request comes from a fork, and Heal never pushes to "
        "forks. Use `git revert` on your branch."
    )


# SC-1
def test_the_answers_about_runs() -> None:
    assert answers.status((), ()) == snapshot("No check has failed on this pull request.")
    assert answers.status((RUN, RUN.model_copy(update={"state": "running", "outcome": None})), (STORED,)) == snapshot("""\
- Run `run1` on `0123456789ab`: done (2 errors, 1 fix; not every error has a tested fix)
- Run `run1` on `0123456789ab`: in progress

Fixes: 1 open, 0 applied, 0 rejected.\
""")
    assert answers.costs(()) == snapshot("$0.00: no run of this pull request has finished yet.")
    assert answers.costs((RUN,)) == snapshot("""\
$0.02 on this pull request so far.

- Run `run1` on `0123456789ab`: $0.02 for 3 model calls (10,000 tokens in, 90% of them cached; 700 out). Took 34 s.\
""")
    assert answers.unfixables((), None) == snapshot(
        "No error on this pull request needs you. `/heal list` shows the fixes."
    )
    assert answers.unfixables((REPORT,), RUN) == snapshot("""\
**Needs you:**

- `UNFIX123` `ruff F821`: Undefined name `math` at `calc.py:2`: No tool could cure it and no model is configured. *What you can do:* Set ANTHROPIC\\_API\\_KEY, then say /heal retry.

**Couldn't check:**

- job `docs`: its log is gone. *What you can do:* Re-run the job.""")
    assert starting.started(SHA, "use a set") == snapshot(
        "Started a run on `0123456789ab`. Your hint: use a set. The check run “Heal” shows its progress."
    )
    assert answers.at_work(SHA) == snapshot(
        "A run on `0123456789ab` is already in progress; the check run “Heal” shows its progress."
    )
    assert answers.nothing_red(SHA) == snapshot(
        "No check has failed on `0123456789ab` since Heal was installed. If one failed before, re-run the failed job, so that Heal sees it."
    )


# SC-1
def test_the_questions_back() -> None:
    assert answers.not_known("zz", (FIX.id,)) == snapshot(
        "No fix has the id `zz`. Fixes on this pull request: `a2a4c471`."
    )
    assert answers.not_known("zz", ()) == snapshot("No fix has the id `zz`. There are no fixes yet.")
    assert answers.ambiguous("ab", ("ab1", "ab2")) == snapshot(
        "`ab` is the start of several ids: `ab1`, `ab2`. Type more characters."
    )
    assert answers.which("apply", (FIX.id, "ffff0000")) == snapshot(
        "Which fix? `/heal apply <id>`, with one of `a2a4c471`, `ffff0000`."
    )
    assert answers.which("apply", ()) == snapshot(
        "No fix on this pull request can be used with `/heal apply`. `/heal list` shows all fixes."
    )

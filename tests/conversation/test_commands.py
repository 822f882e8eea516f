"""What people may say to Heal, and what it answers."""

# ruff: noqa: E501  (pages have long lines)

import pytest
from inline_snapshot import snapshot
from pydantic import ValidationError

from bot.store.proposals import proposals
from tests.conversation.at_dashboard import at_dashboard
from tests.conversation.page import Page
from tests.conversation.small_repo import HEALED, THREE_SLIPS
from tests.world import OpenWorld, World


async def spoil_a_stored_fix(w: World) -> None:
    """What nobody foresaw: a row of Heal's own that it can't read."""
    async with w.machine.database.write() as connection:
        await connection.execute(proposals.update().values(body="{"))


def look_at_the_rest(pr: Page) -> None:
    """The suggestions and the summary, that other tests show."""
    assert (len(pr.reviews()), pr.suggested()) == (1, 3)
    assert pr.comments()


# SC-1 SC-2
async def test_help_lists_every_command_with_who_may_say_it(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        assert await pr.says("maya", "/heal help") == snapshot("""\
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
        look_at_the_rest(pr)


# SC-1 SC-2
async def test_reading_commands_are_answered_in_the_conversation(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        assert await pr.says("maya", "/heal list") == snapshot("""\
3 fixes:

- **open** `a93ebe6b` Write `price` for `pirce` (suggested change)
- **open** `883915f4` Write `size` for `szie` (suggested change)
- **open** `b61a1aff` Write `name` for `nmae` (suggested change)

`/heal show <id>` shows one with its proof.""")
        assert await pr.says("maya", f"/heal show {first.id[:6]}") == snapshot("""\
**open** `a93ebe6b` **Write `price` for `pirce`** (suggested change)

Made by the rule “misspelt name”: confidence 75 of 100, free.

Fixes:
- `ruff F821`: Undefined name `pirce` at `shop.py:11`

`pirce` isn't defined; the only close match is `price`.

▸ The change

▸ Apply it locally

▸ Proof: fails without the fix, passes with it, and 3 more checks (tested in Heal's sandbox)

`/heal apply a93ebe6b` commits it · `/heal reject a93ebe6b [why]` drops it\
""")
        assert await pr.says("maya", "/heal status") == snapshot("""\
- Run `…` on `head1`: done (3 errors, 3 fixes; every error has a tested fix)

Fixes: 3 open, 0 applied, 0 rejected.\
""")
        assert await pr.says("maya", "/heal cost") == snapshot("""\
$0.00 on this pull request so far.

- Run `…` on `head1`: $0.00, no AI used. Took a while.\
""")
        assert await pr.says("maya", "/heal unfixable") == snapshot(
            "No error on this pull request needs you. `/heal list` shows the fixes."
        )
        answer = await pr.says("maya", "/heal aply all")
        assert (answer or "").split("\n")[0] == snapshot("Unknown command `/heal aply`. Did you mean `/heal apply`?")
        assert len(pr.history()) == 1
        look_at_the_rest(pr)


# SC-4
async def test_apply_verifies_again_and_commits_with_the_asker_as_co_author(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        assert await pr.says("maya", f"/heal apply {first.id[:8]}") == snapshot("""\
- `a93ebe6b` was tested again and committed as `head2`.

`/heal rollback <id>` reverts one.\
""")
        info = w.hub.bare(w.repo).info(pr.head)
        assert info.author_name == "heal[bot]"
        assert info.message == snapshot("""\
fix: write `price` for `pirce`

Heal-Id: apply-a93ebe6b8bfc-1042
Heal-Generation: 1
Co-authored-by: maya <1043+maya@users.noreply.github.com>\
""")
        assert set((await pr.fixes()).values()) == {"applied", "offered"}
        assert await pr.says("maya", f"/heal apply {first.id[:8]}") == snapshot("""\
- `a93ebe6b` is already on the branch.

`/heal rollback <id>` reverts one.\
""")
        assert await pr.says("maya", "/heal apply all") == snapshot("""\
- `883915f4` was tested again and committed as `head3`.
- `b61a1aff` was tested again and committed as `head4`.

`/heal rollback <id>` reverts one.\
""")
        assert pr.read("shop.py") == HEALED
        look_at_the_rest(pr)


# SC-1 SC-2
async def test_without_an_id_heal_asks_which_one_but_not_in_a_reply_under_a_suggestion(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        second = pr.standing()[1]
        assert await pr.says("maya", "/heal apply") == snapshot(
            "Which fix? `/heal apply <id>`, with one of `a93ebe6b`, `883915f4`, `b61a1aff`."
        )
        assert await pr.says("maya", "/heal apply 00000000") == snapshot(
            "No fix has the id `00000000`. Fixes on this pull request: `a93ebe6b`, `883915f4`, `b61a1aff`."
        )
        assert await pr.says("maya", "/heal reject tomorrow") == snapshot(
            "No fix has the id `tomorrow`. Fixes on this pull request: `a93ebe6b`, `883915f4`, `b61a1aff`."
        )
        assert await pr.says("maya", "Let's see.\n\n/heal apply", under=second) == snapshot("""\
- `883915f4` was tested again and committed as `head2`.

`/heal rollback <id>` reverts one.\
""")
        assert "count // size" in pr.read("shop.py")
        assert "pirce" in pr.read("shop.py")
        look_at_the_rest(pr)


# SC-1
async def test_what_was_rejected_is_not_offered_again(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        assert await pr.says("maya", f"/heal reject {first.id[:8]} we want another word") == snapshot(
            "Rejected `a93ebe6b`; it won't be offered on this pull request again. Reason: we want another word."
        )
        assert await pr.says("maya", "/heal retry") == snapshot(
            "Started a run on `head1`. The check run “Heal” shows its progress."
        )
        assert pr.verdict() == snapshot("Heal: neutral, All 3 errors have a tested fix")
        assert await pr.says("maya", "/heal list") == snapshot("""\
3 fixes:

- **rejected** `a93ebe6b` Write `price` for `pirce`: we want another word
- **open** `883915f4` Write `size` for `szie` (suggested change)
- **open** `b61a1aff` Write `name` for `nmae` (suggested change)

`/heal show <id>` shows one with its proof.""")
        look_at_the_rest(pr)


# SC-3
async def test_a_reader_may_look_but_not_change(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        head = pr.head
        assert await pr.says("sam", "/heal apply all") == snapshot(
            "`/heal apply` needs write access to this repository, which `sam` doesn't have. Nothing was "
            "changed. Ask somebody with write access; `/heal list`, `/heal show`, "
            "`/heal unfixable`, `/heal status` and `/heal help` "
            "work for everybody."
        )
        for word in ("apply all", "reject all", "rollback run", "retry", "", "cost"):
            assert "needs write access" in (await pr.says("sam", f"/heal {word}") or "")
        assert "3 fixes" in (await pr.says("sam", "/heal list") or "")
        assert await pr.says("stranger", "/heal status") == snapshot("""\
- Run `…` on `head1`: done (3 errors, 3 fixes; every error has a tested fix)

Fixes: 3 open, 0 applied, 0 rejected.\
""")
        assert pr.head == head
        assert set((await pr.fixes()).values()) == {"offered"}
        look_at_the_rest(pr)


NOT_COMMANDS = (
    "> /heal apply all",
    "```\n/heal apply all\n```",
    "    /heal apply all",
    "Do not say `/heal apply all` yet",
    "- /heal apply all",
    "<!-- /heal apply all -->",
    "see /heal apply all",
    "/healing apply all",
)


# SC-2 SC-3 IN-4
async def test_code_quotes_asides_and_bots_command_nothing(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        for text in NOT_COMMANDS:
            assert await pr.says("maya", text) is None, text
        for bot in ("heal[bot]", "friendly[bot]"):
            w.hub.person(bot, kind="Bot")
            w.repo.collaborators[bot] = "admin"
            assert await pr.says(bot, "/heal apply all") is None
            assert await pr.says(bot, "/heal apply", under=pr.standing()[0]) is None
        assert len(pr.history()) == 1
        look_at_the_rest(pr)
        assert pr.replies() == ["/heal apply"], "what was said in Heal's name"


# SC-2
async def test_a_command_posted_before_anything_is_known_is_answered(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.pull(THREE_SLIPS)
        assert await _answers(w, pr) == snapshot(
            [
                (
                    "No check has failed on `head1` since Heal was installed. If one failed before, re-run the failed job, so that Heal sees it."
                ),
                "No fix for this pull request yet. The check run “Heal” says why. Comment `/heal retry` to run again.",
                "No check has failed on this pull request.",
                "$0.00: no run of this pull request has finished yet.",
                "No error on this pull request needs you. `/heal list` shows the fixes.",
                "No fix on this pull request can be used with `/heal apply`. `/heal list` shows all fixes.",
            ]
        )


async def _answers(w: World, pr: Page) -> list[str | None]:
    return [await pr.says("maya", f"/heal {word}") for word in ("", "list", "status", "cost", "unfixable", "apply all")]


# SC-2 SC-3 IN-1
@pytest.mark.parametrize("event", ["COMMENT", "APPROVE", "REQUEST_CHANGES"])
async def test_a_command_in_the_summary_of_a_review_is_answered_and_obeyed_as_in_a_comment(
    world: OpenWorld, event: str
) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        first = pr.standing()[0]
        assert await pr.reviews_with("sam", f"Nice.\n\n/heal reject {first.id}", event) == snapshot(
            "`/heal reject` needs write access to this repository, which `sam` doesn't have. Nothing was "
            "changed. Ask somebody with write access; `/heal list`, `/heal show`, "
            "`/heal unfixable`, `/heal status` and `/heal help` "
            "work for everybody."
        )
        assert (await pr.fixes())["Write `price` for `pirce`"] == "offered"
        assert await pr.reviews_with("maya", f"Not this one.\n\n/heal reject {first.id} it is odd", event) == snapshot(
            "Rejected `a93ebe6b`; it won't be offered on this pull request again. Reason: it is odd."
        )
        assert (await pr.fixes())["Write `price` for `pirce`"] == "rejected"
        assert await pr.reviews_with("maya", "No command: `/heal reject`", event) is None
        assert (len(pr.reviews()), pr.suggested()) == (1, 3)
        assert pr.comments()


# SC-2
async def test_a_command_that_fails_by_an_error_of_heals_own_is_answered_all_the_same(world: OpenWorld) -> None:
    async with world() as w:
        pr = await w.healed(THREE_SLIPS)
        async with at_dashboard(w, "noor") as noor:
            await noor.press(f"/runs/{w.repo.full_name}/{pr.head}/1", "apply", pr.standing()[0].id)
        await spoil_a_stored_fix(w)
        for ask in (w.heal(), pr.says("maya", "/heal list")):
            with pytest.raises(ValidationError):
                await ask
            assert pr.comments()[-1].startswith(
                "Heal hit an internal error while handling this command. Repeat the command."
            )
        await w.heal()
        assert len(pr.comments()) == 3
        look_at_the_rest(pr)
        w.expected += ["delivery dashboard is failed", "delivery issue_comment is failed"]

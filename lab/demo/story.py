"""The course of the demo: a red pull request, Heal's fixes, one suggestion accepted, and its revert."""

import asyncio
import re
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from bot.web import labels
from handlers.errors import UserError
from handlers.model import Run
from lab.localhub import pulls, suggestions
from lab.localhub.ci_state import CheckRun
from lab.localhub.hub import Hub
from lab.localhub.runner import Runner
from lab.localhub.scene import MAINTAINER, Scene, open_broken_pull
from lab.localhub.server import LocalHub
from lab.localhub.state import Pull, ReviewComment

MAX_WAIT = 300.0  # seconds for any single step
HEAL_CHECK = "Heal"


@dataclass
class Story:
    """The running demo."""

    scene: Scene
    github: LocalHub
    runner: Runner
    data: Path
    sandbox: str

    @property
    def hub(self) -> Hub:
        """The state of the local GitHub."""
        return self.scene.hub


async def run_story(story: Story, once: bool) -> int:
    """Runs the demo and returns its exit code: 0 only if the reverted files are byte-identical."""
    print(f"GitHub on localhost: {story.github.url}   sandbox: {story.sandbox}")
    pull = open_broken_pull(story.scene)
    page = f"{story.github.url}/{story.scene.repo.full_name}/pull/{pull.number}"
    print(f"A pull request is open: {page}\nIts CI runs …")
    await story.runner.wait()
    red_at = time.monotonic()
    red = sorted(r.name for r in story.hub.check_runs.values() if r.conclusion == "failure")
    print(f"CI is red: {', '.join(red)}. Heal received the webhook …")
    check = await heal_is_done(story, pull.head_sha)
    print(f"Heal is done after {time.monotonic() - red_at:.0f} s: {check.title}\n")
    run = await stored_run(story, pull.head_sha)
    report(run)
    offered = offers(story, pull)
    print(f"\n{len(offered)} suggestions are on the page of the pull request:")
    for comment in offered:
        print(f"  {comment.path}:{comment.line}")
    if not once:
        await stay_open(page)
        return 0
    if offered:
        return await accept_and_roll_back(story, pull, offered)
    return await apply_and_roll_back(story, pull)


async def accept_and_roll_back(story: Story, pull: Pull, offered: list[ReviewComment]) -> int:
    """A maintainer accepts the first suggestion on the page, then reverts it with a comment."""
    first = single(offered)
    ident = proposal_of(first)
    before = tree_of(story, pull)
    print(f"\n{MAINTAINER} accepts the suggestion {ident} in {first.path} on the page …")
    sha = suggestions.commit_suggestion(story.hub, MAINTAINER, [first.id])
    await story.runner.wait()
    await settled(story, sha)
    now = offers(story, pull)
    standing = [c for c in now if c.id != first.id and c.line is not None]
    again = len(now) - len(offered)
    print(f"accepted: commit {sha[:7]}; {len(standing)} other suggestions still stand, {again} were posted again")
    await command_answered(story, pull, f"/heal rollback {ident}")
    return 0 if is_restored(before, tree_of(story, pull)) and len(offered) >= 3 and not again else 1


async def apply_and_roll_back(story: Story, pull: Pull) -> int:
    """A maintainer applies the fixes that CI tested together with a comment, then reverts them. Used where the
    repository's set-up steps can't be run."""
    print("Nothing can be installed for this repository's checks here, so its own CI tested the fixes, all together.")
    before = tree_of(story, pull)
    await command_answered(story, pull, "/heal apply all")
    applied = tree_of(story, pull)
    await settled(story, pull.head_sha)
    await command_answered(story, pull, "/heal rollback run")
    return 0 if is_restored(before, tree_of(story, pull)) and applied != before else 1


async def command_answered(story: Story, pull: Pull, command: str) -> None:
    """Posts a maintainer's command, and waits for Heal's answer and the CI run that it starts."""
    print(f"\n{MAINTAINER} writes: {command}")
    asked = pulls.comment(story.hub, MAINTAINER, pull, command)
    print("Heal answers: " + first_line(await answered(story, pull, asked.id)))
    await story.runner.wait()
    await story.hub.settled()


def is_restored(before: str, after: str) -> bool:
    """Prints and returns whether two trees are the same."""
    same = before == after
    print("\nbytes identical" if same else "\nthe bytes differ!")
    return same


async def heal_is_done(story: Story, sha: str) -> CheckRun:
    """Waits until Heal's check run of a commit is completed, and shows its progress."""
    shown = ""
    until = time.monotonic() + MAX_WAIT
    while time.monotonic() < until:
        runs = [r for r in story.hub.check_runs.values() if r.name == HEAL_CHECK and r.head_sha == sha]
        check = next((r for r in reversed(runs) if r.app_slug == "heal"), None)
        if check and check.status == "completed":
            return check
        if check and check.summary and check.summary != shown:
            shown = check.summary
            print(f"  · {first_line(shown)}")
        await asyncio.sleep(0.1)
    log = (story.data / "heal.log").read_text(errors="replace")[-3000:]
    raise UserError(f"Heal did not finish within {MAX_WAIT:.0f} s. Its log ends:\n{log}")


async def settled(story: Story, sha: str) -> None:
    """Waits until CI and Heal have processed a new head."""
    await story.hub.settled()
    red = [r for r in story.hub.check_runs.values() if r.head_sha == sha and r.conclusion == "failure"]
    if red:
        await heal_is_done(story, sha)


async def answered(story: Story, pull: Pull, comment_id: int) -> str:
    """Waits for Heal's answer to a comment."""
    until = time.monotonic() + MAX_WAIT
    while time.monotonic() < until:
        for comment in story.hub.conversation(pull):
            if comment.author.login == "heal[bot]" and f"{comment_id}" in marker_of(comment.body):
                return comment.body
        await asyncio.sleep(0.1)
    raise UserError(f"Heal did not answer within {MAX_WAIT:.0f} s; see {story.data / 'heal.log'}")


def marker_of(body: str) -> str:
    """Returns the hidden marker in a text of Heal's."""
    match = re.search(r"<!-- heal:v1 [^>]*-->", body)
    return match.group() if match else ""


def first_line(text: str) -> str:
    """Returns the first visible line."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("<!--")]
    return lines[0] if lines else ""


def offers(story: Story, pull: Pull) -> list[ReviewComment]:
    """Returns Heal's suggestions on the pull request, in order."""
    return [
        c
        for c in story.hub.review_comments_of(pull)
        if c.author.login == "heal[bot]" and suggestions.suggested_lines(c.body) is not None
    ]


def single(offered: list[ReviewComment]) -> ReviewComment:
    """Returns the first suggestion that is a complete fix. Raises UserError if there is none."""
    counted = Counter(proposal_of(c) for c in offered)
    for comment in offered:
        if counted[proposal_of(comment)] == 1:
            return comment
    raise UserError("Heal offered no suggestion in a single place; see the page of the pull request")


def proposal_of(comment: ReviewComment) -> str:
    """Returns the proposal id in a suggestion's marker."""
    match = re.search(r"\b([0-9a-f]{12})\b", marker_of(comment.body))
    return match.group(1) if match else ""


def tree_of(story: Story, pull: Pull) -> str:
    """Returns the branch's current tree id."""
    bare = story.hub.bare(story.scene.repo)
    return bare.sha(f"refs/heads/{pull.head_ref}^{{tree}}", "tree") or ""


async def stored_run(story: Story, sha: str) -> Run:
    """Returns the run from Heal's store."""
    from bot.store.database import Database
    from bot.store.repo import RepoStore

    database = await Database.open(f"sqlite+aiosqlite:///{story.data / 'heal.db'}")
    try:
        run = await RepoStore(database, story.scene.repo.id, story.scene.repo.full_name, time.time).run(sha, 1)
    finally:
        await database.close()
    if run is None or run.outcome is None:
        raise UserError("Heal's store has no outcome of this run")
    return run


def report(run: Run) -> None:
    """Prints the errors by resolution, and what is left."""
    outcome = run.outcome
    assert outcome is not None
    print(f"{len(outcome.errors)} errors, by how they end:")
    kinds = Counter(labels.ending(resolution.how) for resolution in outcome.resolutions)
    for how, count in sorted(kinds.items()):
        print(f"  {count:>3}  {how}")
    for left in outcome.unfixables:
        print(f"  left: {left.why}. {left.advice}")
    spent = outcome.spending
    print(f"  cost: ${spent.dollars:.2f} for {spent.calls} model calls")


async def stay_open(page: str) -> None:
    """Keeps the pages available until a signal."""
    print(f"\nOpen {page} — it leads you along: accept a suggestion, ask why, reject one, take one back.")
    print("Ctrl-C ends the demo.")
    await asyncio.Event().wait()

"""Whole conversations in random order, over HTTP and with real checks: after every step the branch holds exactly what
was accepted, applied and taken back, and Heal says and stores the same (SC-4, SC-5, SC-6, SC-7, GH-6)."""

import random

import pytest

from lab.localhub import pulls, pushes, repos
from tests.conversation.page import Page
from tests.conversation.small_repo import SLIPS
from tests.world import OpenWorld, World

REPORT = 'import json\nimport os\n\n\ndef one():\n    """One."""\n    return os.sep\n'
FIXES = {  # file, with the slip, without it; the first line of a file is the hardest
    "json": ("report.py", "import json\n", ""),
    "price": ("shop.py", "pirce", "price"),
    "size": ("shop.py", "szie", "size"),
    "name": ("shop.py", "nmae", "name"),
}
STEPS = 7


class Conversation:
    """`fixed` and `notes` are what people and Heal were told to bring to the branch."""

    def __init__(self, w: World, pr: Page, ids: dict[str, str], chance: random.Random) -> None:
        self.w, self.pr, self.ids, self.chance = w, pr, ids, chance
        self.fixed: frozenset[str] = frozenset()
        self.notes = 0
        self.earlier: list[tuple[str, frozenset[str], int]] = [(pr.head, self.fixed, 0)]

    def files(self) -> dict[str, str]:
        files = {"shop.py": SLIPS, "report.py": REPORT + "".join(f"# note {n}\n" for n in range(self.notes))}
        for name in self.fixed:
            path, before, after = FIXES[name]
            files[path] = files[path].replace(before, after)
        return files

    async def step(self) -> str:
        """Does one thing; gives what it was."""
        name = self.chance.choice(sorted(FIXES))
        what = self.chance.choice(
            ["accept", "apply", "apply", "rollback", "rollback", "run", "push", "by hand", "revert", "squash", "back"]
        )
        await getattr(self, f"_{what.replace(' ', '_')}")(name)
        self.earlier.append((self.pr.head, self.fixed, self.notes))
        await self.agrees(f"{what} {name}")
        return f"{what} {name}"

    async def agrees(self, what: str) -> None:
        """Bytes and statuses."""
        for path, text in self.files().items():
            assert self.pr.read(path) == text, f"after {what}: {path}"
        stored = {item.proposal.id: f"{item.status} {item.reason}".strip() for item in await self.pr.stored()}
        for name, id_ in self.ids.items():
            here, now = name in self.fixed, stored[id_]
            assert (now == "applied") == here, f"after {what}: {name} is {now}; on the branch: {here}"

    async def _accept(self, name: str) -> None:
        offers = [offer for offer in self.pr.standing() if offer.id == self.ids[name]]
        status = {item.proposal.id: item.status for item in await self.pr.stored()}
        if offers and status[self.ids[name]] == "offered" and name not in self.fixed:
            await self.pr.accepts("maya", *offers)
            self.fixed |= {name}

    async def _apply(self, name: str) -> None:
        answer = await self.pr.says("maya", f"/heal apply {self.ids[name]}") or ""
        assert ("is already on the branch" in answer) == (name in self.fixed), answer
        assert ("committed as" in answer) == (name not in self.fixed), answer
        self.fixed |= {name}

    async def _rollback(self, name: str) -> None:
        answer = await self.pr.says("maya", f"/heal rollback {self.ids[name]}") or ""
        assert ("Reverted" in answer) == (name in self.fixed), answer
        assert ("is not on the branch" in answer) == (name not in self.fixed), answer
        self.fixed -= {name}

    async def _run(self, _name: str) -> None:
        answer = await self.pr.says("maya", "/heal rollback run") or ""
        assert ("Reverted" in answer) == bool(self.fixed), answer
        self.fixed -= {name for name, id_ in self.ids.items() if f"`{id_[:8]}`" in answer}

    async def _push(self, _name: str) -> None:
        self.notes += 1
        await self._pushed()

    async def _by_hand(self, name: str) -> None:
        self.fixed |= {name}
        await self._pushed()

    async def _revert(self, name: str) -> None:
        self.fixed -= {name}
        await self._pushed()

    async def _pushed(self) -> None:
        if any(self.pr.read(path) != text for path, text in self.files().items()):
            await self.pr.push(self.files())
            await self.w.heal()

    async def _squash(self, _name: str) -> None:
        noor, data = self.w.hub.person("noor"), {name: text.encode() for name, text in self.files().items()}
        base = self.pr.pull.base_sha
        made = repos.commit_object(self.w.hub, self.w.repo, [base], data, "All", noor, repos.committer(self.w.hub))
        pushes.move_branch(self.w.hub, self.w.repo, self.pr.pull.head_ref, made, noor)
        await self.w.heal()

    async def _back(self, _name: str) -> None:
        """A push by force throws the last commits away, or brings them back."""
        sha, self.fixed, self.notes = self.chance.choice(self.earlier[-3:])
        if sha != self.pr.head:
            pushes.move_branch(self.w.hub, self.w.repo, self.pr.pull.head_ref, sha, self.w.hub.person("noor"))
            await self.w.heal()


async def converse(world: OpenWorld, seed: int, steps: int) -> None:
    chance = random.Random(seed)
    async with world() as w:
        pr = await w.healed({"shop.py": SLIPS, "report.py": REPORT})
        stored = await pr.stored()
        ids = {
            name: item.proposal.id
            for name, (path, before, _) in FIXES.items()
            for item in stored
            for edit in item.proposal.edits
            if edit.file == path and before.strip() in edit.old_string
        }
        assert ids.keys() == FIXES.keys(), [item.proposal.title for item in stored]
        talk = Conversation(w, pr, ids, chance)
        output = [await talk.step() for _ in range(steps)]
        assert len(output) == steps
        if chance.random() < 0.3:
            pulls.close_pull(w.hub, "maya", pr.pull)
            await w.heal()
            pulls.reopen_pull(w.hub, "maya", pr.pull)
            await w.heal()
            await talk.agrees("close and reopen")
        pr.comments(), pr.reviews(), pr.offers(), pr.withdrawn(), pr.replies()
        for page in w.pages:
            page.comments(), page.reviews(), page.offers(), page.withdrawn()


# SC-5 SC-7 GH-6
async def test_a_conversation_about_four_fixes_and_the_branch_agree(world: OpenWorld) -> None:
    await converse(world, 1, STEPS)


# SC-5 SC-7 GH-6
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100))
async def test_a_hundred_whole_conversations_and_their_branches_agree(world: OpenWorld, seed: int) -> None:
    await converse(world, seed, STEPS)

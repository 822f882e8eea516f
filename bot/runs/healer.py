"""The engine as the conversation sees it (handlers.ports.Healer), for one repository: fetch, heal, verify again."""

import asyncio
import base64
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from bot.durable.attempts import Origin, ref_of
from bot.durable.errands import Errand, Errands, SpreadByErrands, order_in
from bot.repo_config import CONFIG_PATH, ReadConfig, RepoConfig, read_repo_config
from bot.runs.engine import Engine
from bot.runs.gathering import Gathering, RedCheck
from bot.runs.recording import keep
from bot.runs.trees import RunTrees
from bot.runs.trying import Place, RunTrials
from bot.store.repo import RepoStore
from handlers.delivery.plans import FileChange
from handlers.ports import GitHub, Pull, Run, Setting, StoredProposal, Verified
from handlers.ports import Settings as Told
from handlers.runs.asking import wish_among
from handlers.runs.skip_rules import SkipRules
from healing.agents.profiles import Profile, of_repository
from healing.agents.unsent import Unsent
from healing.checks.check import Check
from healing.checks.running import Checker
from healing.edits import Changes, EditError, apply_edits, edits_between, widen
from healing.failure import Failure, Trees
from healing.gitio import Git, Transport
from healing.logs.matchers import ProblemMatcher
from healing.model import Edit, Evidence, NotLooked, Outcome, Proposal
from healing.phases.ahead import Ahead
from healing.phases.head_lines import head_lines
from healing.phases.spreading import AtHome
from healing.pipeline import Tools, heal
from healing.proof.applying import modes_of
from healing.proof.built import built_from
from healing.proof.by_ci import ByCi, asked_of_ci
from healing.proof.judging import judge
from healing.proof.trial import judge_trial
from healing.run_id import run_id
from healing.steps import Steps
from healing.view import TreeView

Settings = tuple[
    ReadConfig, tuple[ProblemMatcher, ...], tuple[NotLooked, ...]
]  # with matchers' files that are unusable


@dataclass
class RepoHealer:
    """Implements `handlers.ports.Healer`. `transport` opens git for reading; `store` is the repository's."""

    slug: str
    engine: Engine
    github: GitHub
    transport: Callable[[], Awaitable[Transport]]
    store: RepoStore
    steps: Callable[[str], Steps]  # by run key
    git: Git
    now: Callable[[], float]  # Unix time
    trials: Place
    errands: Errands | None

    async def heal(self, run: Run, pull: Pull | None, progress: Callable[[str], Awaitable[None]]) -> Outcome:
        """One attempt, from the stored failures to the outcome; durable inside."""
        gathering = Gathering(self.github, pull)
        red = await gathering.checks(await self.store.failures(run.sha, run.attempt))
        origin = await self._origin(run.sha, pull, red)
        trees = await self._trees.of(origin)
        ident = run_id(trees.head, run.sha)
        await self.store.name_run(run.sha, run.attempt, ident)
        steps = self.steps(ident)
        files = await self.github.changed_files(pull.number) if pull else ()
        config, matchers, unusable = await self._config(run, pull)
        specialists, wrong = await self._specialists(pull.base_sha if pull else run.sha)
        wish = await self._wish(run)
        failure = Failure(
            run_id=ident,
            commit=run.sha,
            trees=trees,
            jobs=tuple(check.failed_job() for check in red),
            reports=await gathering.reports(red),
            checks=config.checks(),
            matchers=matchers,
            changed_files=frozenset(f.path for f in files),
            hint=str(wish.get("how") or ""),
            snapshots=wish.get("snapshots") is True,
            standing=await self._standing(pull),
            base_view_tree=trees.merge_base,
            agents=config.config.agents,
            specialists=specialists,
            autofix=config.config.autofix,
            unsent=Unsent.of(self.git.view(self.git.tree_of(pull.base_sha if pull else run.sha)).read),
            search=config.config.search,
        )
        of_fork = pull is not None and pull.is_fork_of(run.full_name)
        rules = config.check_rules(of_fork=of_fork)
        checker = await self.engine.checker(ident, self.git, steps, matchers, rules)
        in_ci = await self._in_ci(config, pull, run.attempt, ident, trees)
        by_ci = None if in_ci is None else ByCi(self.git, failure, in_ci, progress)
        if by_ci is not None and checker is None:
            outcome = await by_ci.heal()
        else:
            number, why_not = pull.number if pull else None, partial(self.store.why_still, run.sha, run.attempt)
            overnight = pull is None and config.config.agents.overnight
            async with self.engine.models.team(self.store, ident, number, overnight, why_not) as team:
                memory = self.store.memory(ident, learns=not of_fork)
                claims = self.store.claims(run.sha, run.attempt, holds=not of_fork)
                hands = (self.git, steps, checker, team, time.monotonic, progress)
                sha = pull.base_sha if pull else run.sha
                names = {"run": ref_of(run), "number": number, "origin": origin, "run_id": ident}
                like = Errand.model_validate({**names, "rules_sha": sha, "of_fork": of_fork})
                spread = SpreadByErrands(self.errands, steps, like) if self.errands else AtHome()
                missing = self.engine.models.missing
                tools = Tools(*hands, memory=memory, claims=claims, spread=spread, missing=missing)
                await keep(steps, failure)
                outcome = await heal(failure, tools)
            outcome = await by_ci.prove(outcome) if by_ci else outcome
        only_here = await self._only_here(config, pull, run)
        return await self._told(outcome, run, trees, (*config.not_looked(), *unusable, *wrong, *only_here))

    async def _told(self, outcome: Outcome, run: Run, trees: Trees, first: tuple[NotLooked, ...]) -> Outcome:
        """With what was not looked at before the engine began, where errors are on the head, and how long all took."""
        lines = await asyncio.to_thread(head_lines, outcome.errors, self.git, trees)
        not_looked = (*first, *outcome.not_looked)
        told = {"not_looked": not_looked, "head_lines": lines, "seconds": self._seconds(run, outcome)}
        return outcome.model_copy(update=told)

    async def _in_ci(
        self, config: ReadConfig, pull: Pull | None, attempt: int, ident: str, trees: Trees
    ) -> RunTrials | None:
        """The repository's own CI as the judge, where it is asked for. Nothing of a fork is pushed here (IN-5), and
        nothing at all while Heal only observes (OP-8)."""
        if config.config.verify != "ci" or pull is None or pull.is_fork_of(self.trials.repo.full_name):
            return None
        if await self.store.observing():
            return None
        return RunTrials(self.trials, pull, attempt, ident, trees, self.git, self.steps(ident))

    async def _only_here(self, config: ReadConfig, pull: Pull | None, run: Run) -> tuple[NotLooked, ...]:
        """That CI is no judge here, where the repository wants it as one."""
        if config.config.verify != "ci" or pull is None:
            return ()
        if pull.is_fork_of(run.full_name):
            why = "the pull request comes from a fork, and nothing of a fork is pushed into this repository"
        elif await self.store.observing():
            why = "Heal only observes this repository until somebody says `/heal on`, and pushes nothing"
        else:
            return ()
        advice = "CI judges them once they are committed."
        return (NotLooked(what="the fixes in CI (verify: ci)", why=why, advice=advice),)

    def _seconds(self, run: Run, outcome: Outcome) -> dict[str, float]:
        """The phases as this process measured them, and the total over all lives of the run."""
        begun = run.started_at
        return outcome.seconds if begun is None else {**outcome.seconds, "total": round(self.now() - begun, 3)}

    async def _config(self, run: Run, pull: Pull | None) -> Settings:
        """The repository's own settings, from the base branch alone: a pull request can't say what is run for it."""
        return await self._config_at(pull.base_sha if pull else run.sha)

    async def _config_at(self, sha: str) -> Settings:
        await self._trees.fetch(sha)
        view = self.git.view(self.git.tree_of(sha))
        config = read_repo_config(view.read(CONFIG_PATH))
        return config, *config.matchers(view.read)

    async def _specialists(self, sha: str) -> tuple[tuple[Profile, ...], tuple[NotLooked, ...]]:
        """The repository's own specialists on the base branch, and what is wrong with those that can't be used."""
        view = self.git.view(self.git.tree_of(sha))
        return await asyncio.to_thread(of_repository, view.paths(), view.read)

    async def reruns_by_itself(self, run: Run, pull: Pull | None) -> bool:
        """As `.github/heal.yml` says on the base branch."""
        config, _, _ = await self._config(run, pull)
        return config.config.rerun_flaky

    async def skip_rules(self, run: Run, pull: Pull | None) -> SkipRules:
        """As `.github/heal.yml` says on the base branch: a pull request can't lift them for itself."""
        config, _, _ = await self._config(run, pull)
        return config.config.skip

    async def settings(self, pull: Pull, of_head: bool = False) -> Told:
        """As the base branch has them, or as the head would."""
        read, _, _ = await self._config_at(pull.head_sha if of_head else pull.base_sha)
        now, default = (one.model_dump(mode="json") for one in (read.config, RepoConfig()))
        given = read.config.model_fields_set
        return Told(
            settings=tuple(Setting(key=k, value=json.dumps(now[k]), given=k in given) for k in default),
            problems=tuple(f"line {problem.line}: {problem.reason}" for problem in read.problems),
        )

    async def _wish(self, run: Run) -> dict[str, object]:
        """What the person who asked for this attempt said."""
        return wish_among(await self.store.failures(run.sha, run.attempt)) or {}

    async def _standing(self, pull: Pull | None) -> tuple[Proposal, ...]:
        stored = await self.store.proposals(pull.number) if pull else ()
        return tuple(one.proposal for one in stored if one.status == "offered" and not one.proposal.needs)

    async def _origin(self, sha: str, pull: Pull | None, checks: tuple[RedCheck, ...]) -> Origin:
        """Head, and on pull requests the merge that CI built (IN-8): the one in the log, else head merged with base."""
        if pull is None or not any(check.on_merge for check in checks):
            return Origin(head=sha)
        base = await self.github.merge_base(pull.base_sha, sha) or pull.base_sha
        claimed = next((merge for check in checks if (merge := check.merge_sha(sha))), None)
        merge = await self._trees.claimed_merge(claimed, sha)
        return Origin(head=sha, base=base, target=pull.base_sha, merge=merge)

    @property
    def _trees(self) -> RunTrees:
        return RunTrees(self.git, self.transport)

    async def run_errand(self, errand: Errand) -> None:
        """See `bot.durable.errands.RunsErrands`."""
        steps, rules_sha = self.steps(errand.run_id), errand.rules_sha
        order, trees = await order_in(steps, errand), await self._trees.of(errand.origin)
        config, matchers, _ = await self._config_at(rules_sha)
        rules = config.check_rules(of_fork=errand.of_fork)
        checker = await self.engine.checker(errand.run_id, self.git, steps, matchers, rules)
        why_not = partial(self.store.why_still, errand.run.sha, errand.run.attempt)
        books = self.store.books(errand.run_id, errand.number)
        team = self.engine.models.borrowing(order.dollars, books, why_not)
        if checker is None or team is None or trees != order.trees:
            return
        checker.gate = self.engine.gate
        unsent = Unsent.of(self.git.view(self.git.tree_of(rules_sha)).read)
        await Ahead(self.git, checker, team, unsent).work(order)

    async def carry_over(self, pull: Pull, old: StoredProposal) -> Proposal | NotLooked:
        """The proposal on the pull request's new head, verified there without a model; or why it no longer is one."""
        view, _ = await self._head_of(pull)
        try:
            changes = _apply_either(old.proposal, view.read)
        except EditError as error:
            return NotLooked(what=old.proposal.id, why=str(error))
        verified = await self._verify(pull, changes, old.proposal)
        if not verified.ok:
            return NotLooked(what=old.proposal.id, why=verified.why)
        return _re_anchored(old.proposal, view.tree, view.read, changes)

    async def try_edits(self, pull: Pull, edits: tuple[Edit, ...], proposal: Proposal, verify: bool) -> Verified:
        """Applies edits to the head's tree; with `verify` its checks have to pass there too."""
        view, _ = await self._head_of(pull)
        try:
            changes = apply_edits(edits, view.read)
        except EditError as error:
            return Verified(ok=False, why=str(error))
        if verify:
            verified = await self._verify(pull, changes, proposal)
            if not verified.ok:
                return verified
        modes = modes_of(edits)
        return Verified(
            ok=True,
            changes=tuple(
                FileChange(
                    path=path,
                    content=None if data is None else base64.b64encode(data).decode(),
                    mode=view.mode(path) or modes.get(path, "100644"),
                )
                for path, data in sorted(changes.items())
            ),
        )

    async def changed_since(self, pull: Pull, proposal: Proposal) -> Literal["absent", "applied", "other"]:
        """Whether the head holds the proposal's result (its reverse fits) or still what it was made for."""
        view, _ = await self._head_of(pull)
        for edits, answer in ((proposal.reverse, "applied"), (proposal.wide, "absent"), (proposal.edits, "absent")):
            try:
                apply_edits(edits, view.read)
            except EditError:
                continue
            return "applied" if answer == "applied" else "absent"
        return "other"

    async def _head_of(self, pull: Pull) -> tuple[TreeView, str]:
        await self._trees.fetch(pull.head_sha)
        tree = self.git.tree_of(pull.head_sha)
        return self.git.view(tree), tree

    async def _verify(self, pull: Pull, changes: Changes, proposal: Proposal) -> Verified:
        """Runs the proposal's checks on the head with and without the changes: its errors gone, nothing new."""
        base = await self.github.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
        trees = await self._trees.of(Origin(head=pull.head_sha, base=base, target=pull.base_sha))
        ident = run_id(trees.head, pull.head_sha)
        config, matchers, _ = await self._config_at(pull.base_sha)
        checker = await self.engine.checker(ident, self.git, self.steps(ident), matchers, config.check_rules())
        tree = await asyncio.to_thread(self.git.write_tree, trees.head, changes, modes_of(proposal.edits))
        built = await asyncio.to_thread(built_from, self.git, trees, tree)
        if built is None:
            return Verified(ok=False, why="with it, the branch no longer merges with its base")
        in_ci = await self._in_ci(config, pull, 0, ident, trees)
        why = await _holds_here(checker, in_ci, proposal, trees.built, built)
        return Verified(ok=not why, why=why)


async def _holds_here(
    checker: Checker | None, in_ci: RunTrials | None, proposal: Proposal, before: str, after: str
) -> str:
    """Why a proposal's evidence no longer holds on another head; empty where it does. What CI alone has proven, CI
    proves again."""
    local = [e for e in proposal.evidence if e.alone and not asked_of_ci(e)]
    if checker is not None and local:
        for evidence in local:
            if why := await _holds(checker, evidence, before, after):
                return why
        return ""
    wanted = next((jobs for e in proposal.evidence if (jobs := asked_of_ci(e))), ())
    if in_ci is None or not wanted:
        return "no sandbox works on this machine, so it can't be verified"
    return judge_trial(await in_ci.trial(after, wanted), wanted).why


async def _holds(checker: Checker, evidence: Evidence, before: str, after: str) -> str:
    """Why one piece of a proposal's evidence no longer holds on another head; empty where it does."""
    check = Check.model_validate(evidence.check)
    old, new = await checker.run(check, before), await checker.run(check, after)
    command = check.step.run.strip()
    if old.green:
        return f"`{command}` passes on this head without it"
    if evidence.after_exit == 0 and not new.green:
        return f"`{command}` exits {new.exit_code} on this head"
    judgement = judge({check.key: old}, {check.key: new}, ())
    if not judgement.harmless or (not new.green and len(new.errors) >= len(old.errors)):
        return f"on this head: {judgement.text() or f'`{command}` shows as many errors as without it'}"
    return ""


def _apply_either(proposal: Proposal, read: Callable[[str], bytes | None]) -> Changes:
    """The minimal edits where they fit, else the widened ones. Raises EditError."""
    try:
        return apply_edits(proposal.wide, read)
    except EditError:
        return apply_edits(proposal.edits, read)


def _re_anchored(proposal: Proposal, tree: str, read: Callable[[str], bytes | None], changes: Changes) -> Proposal:
    modes = modes_of(proposal.edits)
    edits = tuple(
        edit
        for path, new in sorted(changes.items())
        for edit in edits_between(path, read(path), new, modes.get(path, "100644"))
    )
    both = widen(edits, read)
    return proposal.model_copy(update={"edits": edits, "wide": both.wide, "reverse": both.reverse, "base_tree": tree})

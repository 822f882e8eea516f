"""The local Actions: runs workflow steps for real, in the sandbox.

As on GitHub a `pull_request` run builds `refs/pull/N/merge` and a `push` run the pushed commit itself. Each
job gets a fresh machine (machines.py) and a fresh worktree; after a failed step the rest is skipped.
"""

import asyncio
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from healing.checks.check import WORKSPACE, Script
from healing.checks.job import Step as WorkflowStep
from healing.checks.job import Workflow, WorkflowJob
from healing.checks.workflow import WorkflowError, parse_workflow
from healing.git import Git
from healing.git.transport import open_local
from healing.logs.reading import read_log
from healing.worktrees import Worktrees
from lab.localhub import actions, artifacts, pull_heads
from lab.localhub.ci_state import Job, Step, WorkflowRun
from lab.localhub.filters import wants
from lab.localhub.hub import Hub
from lab.localhub.joblog import JobLog
from lab.localhub.machines import Handed, Machine, Machines, labels
from lab.localhub.merge_queue import MergeGroup
from lab.localhub.state import HubEvent, Pull, Repo

SHELL = "/usr/bin/bash -e {0}"
SHOWN_ROOT = "/home/runner/work/{name}/{name}"
WORKFLOWS = ".github/workflows"
PULL_ACTIONS = ("opened", "reopened", "synchronize")


@dataclass(frozen=True)
class Commit:
    """What a run builds: `sha` is checked out, its checks are on `head`; `into` is the base branch of a pull request;
    `again` is an earlier run of it whose next attempt was requested."""

    repo: Repo
    event: str
    sha: str
    head: str
    branch: str
    head_repo: Repo | None
    base: str = ""
    number: int = 0
    into: str = ""
    again: WorkflowRun | None = None


@dataclass
class Runner:
    """Listens to the hub and runs workflows, one after the other. `wait()` waits until there is nothing left to run.

    `pause()` and `resume()` delay runs, so that a demo or test controls when CI runs.
    """

    hub: Hub
    folder: Path
    machines: Machines
    held: list[Commit] = field(default_factory=list)
    _paused: bool = False
    _coming: int = 0
    _built: dict[int, Commit] = field(default_factory=dict)  # by workflow run
    _errors: list[BaseException] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        self.worktrees = Worktrees(self.folder, self.machines.sandbox.owner)

    def start(self) -> None:
        """Starts listening to events."""
        self._loop = asyncio.get_running_loop()
        self.hub.listeners.append(self.on_event)

    async def stop(self) -> None:
        """Stops listening, and ends runs in progress."""
        self.hub.listeners.remove(self.on_event)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.worktrees.close()

    def pause(self) -> None:
        """Delays runs from now on; `wait()` doesn't wait for them."""
        self._paused = True

    def resume(self) -> None:
        """Starts delayed runs, and no longer delays new ones."""
        with self.hub.lock:
            held, self.held, self._paused = self.held, [], False
            self._coming += len(held)
        for commit in held:
            self._schedule(commit)

    async def wait(self) -> None:
        """Waits until all runs have ended."""
        while self._coming or self._tasks:
            await asyncio.gather(*self._tasks)
            await asyncio.sleep(0)
        if self._errors:
            raise self._errors.pop()

    def on_event(self, hub_event: HubEvent) -> None:
        """Starts the runs of an event; may be called from any thread."""
        commit = self._commit(hub_event)
        if commit is None:
            return
        if self._paused:
            self.held.append(commit)
        else:
            self._coming += 1  # under the hub's lock
            self._loop.call_soon_threadsafe(self._schedule, commit)

    def _commit(self, hub_event: HubEvent) -> Commit | None:
        repo = hub_event.repo
        if repo is None:
            return None
        if hub_event.event == "pull_request" and hub_event.action in PULL_ACTIONS:
            return self._of_pull(repo, hub_event.subject["pull"])
        if hub_event.event == "workflow_run" and hub_event.action == "requested":
            run: WorkflowRun = hub_event.subject["run"]
            known = self._built.get(run.id)
            return replace(known, again=run) if known and run.attempt > 1 else None
        if hub_event.event == "merge_group" and hub_event.action == "checks_requested":
            group: MergeGroup = hub_event.subject["group"]
            made, base = group.head_sha, group.base_sha
            return Commit(repo, "merge_group", made, made, group.branch, repo, base, group.number, group.base_ref)
        ref, after = str(hub_event.subject.get("ref", "")), hub_event.subject.get("after")
        if hub_event.event == "push" and ref.startswith("refs/heads/") and after and set(after) != {"0"}:
            return Commit(repo, "push", after, after, ref.removeprefix("refs/heads/"), repo)
        return None

    def _of_pull(self, repo: Repo, pull: Pull) -> Commit | None:
        merge = pull_heads.merge_sha(self.hub, pull)
        if merge is None:
            return None  # GitHub runs no workflows for a pull request with conflicts
        head_repo = self.hub.repos.get(pull.head_repo_id or 0)
        base = self.hub.bare(repo).branch(pull.base_ref) or pull.base_sha
        head, into = pull.head_ref, pull.base_ref
        return Commit(repo, "pull_request", merge, pull.head_sha, head, head_repo, base, pull.number, into)

    def _schedule(self, commit: Commit) -> None:
        with self.hub.lock:
            self._coming -= 1
        task = self._loop.create_task(self._run(commit))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._errors.append(error)

    async def _run(self, commit: Commit) -> None:
        async with self._one:
            for workflow in await asyncio.to_thread(self._workflows, commit):
                if commit.again is None or commit.again.path == workflow.path:
                    await self._workflow(commit, workflow)

    def _workflows(self, commit: Commit) -> list[Workflow]:
        bare = self.hub.bare(commit.repo)
        found = []
        if not any(e.path == WORKFLOWS for e in bare.entries(commit.sha, recursive=True)):
            return []
        for entry in bare.entries(commit.sha, WORKFLOWS):
            path = f"{WORKFLOWS}/{entry.path}"
            data = bare.read(commit.sha, path)
            if data is None or not path.endswith((".yml", ".yaml")):
                continue
            try:
                workflow = parse_workflow(path, data, partial(bare.read, commit.sha))
            except WorkflowError:
                continue
            if wants(data, commit.event, commit.into or commit.branch):
                found.append(workflow)
        return found

    async def _workflow(self, commit: Commit, workflow: Workflow) -> None:
        run = commit.again or actions.begin_run(
            self.hub, commit.repo, workflow.path, workflow.name, commit.head, commit.branch, commit.event,
            head_repo=commit.head_repo,
        )  # fmt: skip
        self._built[run.id] = commit
        wanted = [job for job in workflow.jobs if run.again is None or job.name in run.again]
        jobs = [(actions.begin_job(self.hub, run, job.name), job) for job in wanted]
        with Git.open(self.folder / "git" / f"{commit.repo.id}.git") as git:
            source = open_local(self.hub.bare(commit.repo).path)
            await asyncio.to_thread(git.fetch, source, [commit.sha])
            data = git.view(git.tree_of(commit.sha)).read(workflow.path) or b""
            for record, job in jobs:
                await self._job(commit, git, record, job, data)
        actions.finish_run(self.hub, run)

    async def _job(self, commit: Commit, git: Git, record: Job, job: WorkflowJob, workflow: bytes) -> None:
        kept = artifacts.uploads(workflow, job.id)
        log = JobLog(self.hub.now)
        log.group("Operating System", "Debian", "local runner")
        steps = [self._step(1, "Set up job", "success")]
        tree = git.tree_of(commit.sha)
        name = f"job-{record.id}"
        async with (
            self.worktrees.worktree(name, name, git, tree) as worktree,
            self.machines.machine(labels(workflow, job.id), worktree) as machine,
        ):
            failed, handed = False, Handed()
            for number, step in enumerate(job.steps, start=2):
                if (upload := kept.get(step.number)) and (upload.after_failure or not failed):
                    artifacts.store(self.hub, self.hub.runs[record.run_id], upload.name, upload.files(worktree.root))
                    steps.append(self._step(number, step.name, "success"))
                    continue
                if failed or step.reached is False:
                    steps.append(self._step(number, step.name, "skipped"))
                    continue
                begun = self.hub.now()
                failed, handed = await self._do(commit, step, machine, handed, log)
                conclusion = "failure" if failed else "success"
                done = self.hub.now()
                steps.append(Step(number, step.name, conclusion, begun, done))
        log.line("Cleaning up orphan processes")
        steps.append(self._step(len(job.steps) + 2, "Complete job", "success"))
        data = log.data()
        notes = self._annotations(data) if failed else []
        actions.finish_job(self.hub, record, "failure" if failed else "success", steps, data, notes)

    def _step(self, number: int, name: str, conclusion: str) -> Step:
        return Step(number, name, conclusion, self.hub.now(), self.hub.now())

    async def _do(
        self, commit: Commit, step: WorkflowStep, machine: Machine, handed: Handed, log: JobLog
    ) -> tuple[bool, Handed]:
        """Runs one step; returns whether it failed, and what it passes on to the next one."""
        if step.script is None:
            self._action(commit, step.uses or "", log)
        for part in step.scripts():
            if part.script and part.reached is not False:
                failed, handed = await self._script(commit, part.script, machine, handed, log)
                if failed:
                    return True, handed
        return False, handed

    async def _script(
        self, commit: Commit, script: Script, machine: Machine, handed: Handed, log: JobLog
    ) -> tuple[bool, Handed]:
        log.run_group(script.run, SHELL, script.env)
        root, inside = machine.worktree.root, self.machines.sandbox.inside(machine.worktree.root)
        done, handed = await machine.run(script.text().replace(WORKSPACE, inside), handed)
        shown = SHOWN_ROOT.format(name=commit.repo.name).encode()
        output = done.output
        for path in (str(root).encode(), inside.encode()):
            output = output.replace(path, shown)
        log.text(output)
        if done.exit_code != 0:
            log.line(
                f"##[error]Process completed with exit code {done.exit_code if done.exit_code is not None else 137}."
            )
        return done.exit_code != 0, handed

    def _action(self, commit: Commit, uses: str, log: JobLog) -> None:
        log.group(f"Run {uses}", "with:", f"  repository: {commit.repo.full_name}")
        if not uses.startswith("actions/checkout"):
            log.line(f"{uses.partition('@')[0]} is ready")
            return
        log.line(f"Syncing repository: {commit.repo.full_name}")
        if commit.event == "pull_request":
            fetch = "fetch --no-tags --prune --no-recurse-submodules --depth=1 origin"
            log.line(f"[command]/usr/bin/git {fetch} +{commit.sha}:refs/remotes/pull/{commit.number}/merge")
            log.line(f"HEAD is now at {commit.sha[:7]} Merge {commit.head} into {commit.base}")
        elif commit.event == "merge_group":
            log.line(f"[command]/usr/bin/git fetch origin +{commit.sha}:refs/remotes/origin/{commit.branch}")
        log.line("[command]/usr/bin/git log -1 --format=%H")
        log.line(commit.sha)

    @staticmethod
    def _annotations(log: bytes) -> list[dict[str, object]]:
        """Returns the annotations that a problem matcher would create, at most ten as in Actions."""
        located = [e for e in read_log(log).errors if e.file and e.line]
        return [
            {
                "path": e.file,
                "start_line": e.line,
                "end_line": e.line,
                "annotation_level": "failure",
                "message": e.message[:64_000],
                "title": e.code or e.tool,
            }
            for e in located[:10]
        ]

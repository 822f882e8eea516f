"""`heal queue …`: merges the work of several agents, which work at the same time, one after the other."""

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.helping import group
from bot.cli.options import HERE, AsJson, Where
from bot.cli.shell import EXIT_ERRORS_LEFT, EXIT_HEALTHY, CouldNotReproduce, note, put, put_json, wait_for
from handlers.errors import UserError

if TYPE_CHECKING:
    from bot.queue_socket.place import QueuePlace
    from bot.queue_socket.worktrees import Tree
    from healing.verify.queue.validation import Stage

queue = group("Merge the work of several agents into one branch, first come, first served.")
SocketPath = Annotated[Path | None, typer.Option("--socket", metavar="PATH", help="Listen there, not in Heal's data.")]
SessionName = Annotated[str, typer.Option("--session", metavar="ID", help="Which session, where several are open.")]
Commands = list[str]
NO_COMMANDS: Commands = []


@queue.command()
def serve(
    path: Where = HERE,
    socket: SocketPath = None,
    tests: Annotated[Commands, typer.Option(metavar="CMD", help="Validate with this; may be repeated.")] = NO_COMMANDS,
    lint: Annotated[Commands, typer.Option(metavar="CMD", help="The same, after the tests.")] = NO_COMMANDS,
    types: Annotated[Commands, typer.Option(metavar="CMD", help="The same, at the end.")] = NO_COMMANDS,
    only: Annotated[
        Commands, typer.Option(metavar="STAGE=GLOB", help="Only paths like this affect the stage, as `lint=*.py`.")
    ] = NO_COMMANDS,
    keep_going: Annotated[bool, typer.Option("--keep-going", help="Run all stages though one is red.")] = False,
    agents: Annotated[int, typer.Option(min=1, max=64, help="How many may run at a time.")] = 8,
) -> int:
    """Serve the merge queue of this clone until SHUTDOWN or Ctrl-C. Commands run in the sandbox on what was merged.

    Example: heal queue serve --tests "pytest -q" --lint "ruff check ."
    """
    stages = _stages({"tests": tests, "lint": lint, "types": types}, only)
    return wait_for(_serve(path, socket, stages, not keep_going, agents))


async def _serve(path: Path, socket: Path | None, stages: "tuple[Stage, ...]", fail_fast: bool, agents: int) -> int:
    import asyncio
    import signal

    from bot.queue_socket.opening import QueueSettings, open_queue
    from bot.queue_socket.server import serve as listen
    from bot.settings import read_settings
    from healing.verify.queue.session import QueueLimits

    place = _place(path, socket)
    async with open_queue(
        place, read_settings(), QueueSettings(stages, fail_fast, QueueLimits(agents=agents))
    ) as verbs:
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, verbs.stop.set)
        place_text = f"the merge queue of {place.common} listens at {place.socket}"
        await listen(verbs, place.socket, lambda: put(place_text))
    return EXIT_HEALTHY


def _stages(commands: dict[str, Commands], only: Commands) -> "tuple[Stage, ...]":
    from healing.verify.queue.validation import ORDER, Stage

    files: dict[str, list[str]] = {}
    for one in only:
        name, equals, pattern = one.partition("=")
        if name not in ORDER or not equals or not pattern:
            raise UserError(f"--only {one} is not like STAGE=GLOB, with a stage of {', '.join(ORDER)}")
        files.setdefault(name, []).append(pattern)
    return tuple(Stage(name, command, tuple(files.get(name, ()))) for name in ORDER for command in commands[name])


@queue.command()
def status(path: Where = HERE, socket: SocketPath = None, as_json: AsJson = False) -> int:
    """Show sessions, agents and what waits; where nobody serves the queue, what its books say.

    Example: heal queue status --json
    """
    import asyncio

    from bot.queue_socket.answers import status as status_answer
    from bot.queue_socket.client import NotServed, ask
    from bot.queue_socket.opening import stored_sessions
    from bot.queue_socket.printing import session_lines
    from bot.settings import read_settings

    place = _place(path, socket)
    try:
        answer = {**ask(place.socket, "STATUS"), "serving": True}
    except NotServed:
        answer = {**status_answer(asyncio.run(stored_sessions(place, read_settings())), {}), "serving": False}
    answer.pop("status", None)
    if as_json:
        put_json(answer)
        return EXIT_HEALTHY
    put("served" if answer["serving"] else f"not served (heal queue serve); the books at {place.folder} say:")
    for session in answer["sessions"]:
        for line in session_lines(session):
            put(line)
    return EXIT_HEALTHY


@queue.command()
def join(
    agent: Annotated[str, typer.Argument(metavar="[AGENT]", help="Its name; one is made up if there is none.")] = "",
    path: Annotated[Path, typer.Option("--repo", help="The clone.")] = HERE,
    session: SessionName = "",
    base: Annotated[str, typer.Option(metavar="BRANCH", help="Where a new session starts; else what is here.")] = "",
    socket: SocketPath = None,
    as_json: AsJson = False,
) -> int:
    """Begin an agent's work: a worktree of its own on a branch of its own. Prints the worktree's path.

    Example: cd "$(heal queue join alice)"
    """
    import asyncio

    from bot.queue_socket import worktrees

    place = _place(path, socket)
    name = agent or f"agent-{secrets.token_hex(3)}"
    joined = _ask(place, "REGISTER", agent_id=name, session_id=session, base_branch=base)
    files = Path(joined["worktree"])
    if not (files / ".git").exists():
        try:
            asyncio.run(worktrees.add(place.common, files, joined["branch"], joined["base_commit"]))
        except UserError:
            _ask(place, "DEQUEUE", agent_id=name, session_id=joined["session_id"])
            raise
    joined.pop("status", None)
    put_json(joined) if as_json else put(str(files))
    return EXIT_HEALTHY


@queue.command()
def done(
    path: Annotated[Path, typer.Argument(metavar="WORKTREE", help="The agent's worktree, or a folder in it.")] = HERE,
    message: Annotated[str, typer.Option("-m", "--message", help="For what is not committed yet.")] = "",
    keep: Annotated[bool, typer.Option("--keep", help="Keep worktree and branch after the merge.")] = False,
    socket: SocketPath = None,
    as_json: AsJson = False,
) -> int:
    """End an agent's work: commit what lies there, wait for the merge. A conflict is shown with what to do (exit 1).

    As the stop hook of a tool that continues on exit code 2: heal queue done >&2 || exit 2

    Example: heal queue done -m "Fix the totals"
    """
    from bot.queue_socket import worktrees

    tree = worktrees.find_tree(path)
    return wait_for(_done(tree, _place_of(tree.common, socket), message, keep, as_json))


async def _done(tree: "Tree", place: "QueuePlace", message: str, keep: bool, as_json: bool) -> int:
    from bot.queue_socket import worktrees
    from bot.queue_socket.client import QueueRefused

    agent = _agent_at(_ask(place, "STATUS"), tree.files)
    ids = {"agent_id": agent["agent_id"], "session_id": agent["session_id"]}
    await worktrees.commit(tree, agent["branch"], message, agent["agent_id"])
    try:
        _ask(place, "RETRY" if agent["status"] == "CONFLICT" else "ENQUEUE", **ids)
    except QueueRefused as refused:
        if refused.code == "UNCHANGED":
            return _print_conflict(_ask(place, "CONFLICTS", **ids), tree, as_json)
        if refused.code != "NOTHING_TO_MERGE":
            raise UserError(str(refused)) from refused
        _ask(place, "DEQUEUE", **ids)
        put_json({"result": "NOTHING", **ids}) if as_json else put("nothing was changed; nothing to merge")
        await _remove_worktree(tree, agent["branch"], agent["tip"], keep)
        return EXIT_HEALTHY
    answer = _ask(place, "WAIT", **ids)
    if answer["result"] == "CONFLICT":
        return _print_conflict(_ask(place, "CONFLICTS", **ids), tree, as_json, answer["details"]["ended"])
    if answer["result"] != "MERGED":
        raise UserError(f"not merged: {answer['details']['ended']}: {answer['details']['why']}")
    merged = answer["details"]
    put_json(answer) if as_json else put(f"merged into {merged['feature_branch']} as {merged['merge_commit'][:12]}")
    tip = _agent_at(_ask(place, "STATUS"), tree.files)["tip"]
    await _remove_worktree(tree, agent["branch"], tip, keep)
    return EXIT_HEALTHY


async def _remove_worktree(tree: "Tree", branch: str, tip: str | None, keep: bool) -> None:
    from bot.queue_socket import worktrees

    if not keep and not await worktrees.remove(tree, branch, tip):
        note(f"{tree.files} stays: git would not remove it while something lies there")


def _print_conflict(answer: dict[str, Any], tree: "Tree", as_json: bool, ended: str = "") -> int:
    from bot.queue_socket.printing import conflict_lines

    if as_json:
        put_json({"result": "CONFLICT", "ended": ended, **answer})
    else:
        for line in conflict_lines(answer, tree.files, ended):
            put(line)
    return EXIT_ERRORS_LEFT


@queue.command()
def end(
    session: Annotated[str, typer.Argument(metavar="[SESSION]", help="Which, where several are open.")] = "",
    path: Annotated[Path, typer.Option("--repo", help="The clone.")] = HERE,
    force: Annotated[bool, typer.Option("--force", help="Also while agents are working; they are stopped.")] = False,
    pull_request: Annotated[bool, typer.Option("--pull-request", help="Open the pull request, or say how to.")] = False,
    label: Annotated[list[str] | None, typer.Option(help="Labels of the pull request; may be repeated.")] = None,
    socket: SocketPath = None,
    as_json: AsJson = False,
) -> int:
    """End a session: the whole validation runs on its branch. Red sends it back to work, a bounded number of times.

    Branches that `heal queue join` made for agents whose work was merged are deleted then.

    Example: heal queue end --pull-request --label agents
    """
    from bot.queue_socket.printing import end_lines

    if label and not pull_request:
        raise UserError("--label is about the pull request; add --pull-request")
    place = _place(path, socket)
    ending = _ask(place, "SESSION_END", session_id=session, force=force)
    request: dict[str, Any] = {"session_id": ending["session_id"], "pull_request": pull_request}
    if label:
        request["labels"] = label
    answer = _ask(place, "WAIT", **request)
    if as_json:
        put_json({**request, **answer})
    else:
        for line in end_lines(answer):
            put(line)
    verdict = answer["details"]["verdict"]
    if verdict in ("could-not-look", "aborted", "stale"):
        raise CouldNotReproduce(f"the session ended without a verdict on its code ({verdict})")
    return EXIT_HEALTHY if verdict in ("green", "unvalidated") else EXIT_ERRORS_LEFT


@queue.command()
def sweep(
    path: Where = HERE,
    hours: Annotated[float, typer.Option(min=0, help="Only what ended so many hours ago.")] = 24.0,
    socket: SocketPath = None,
    as_json: AsJson = False,
) -> int:
    """Remove worktrees that `heal queue join` made for sessions which have ended, with all that lies in them, and
    forget these sessions. Branches stay. Not while the queue is served.

    Example: heal queue sweep --hours 1
    """
    import asyncio

    from bot.queue_socket.opening import sweep as swept
    from bot.settings import read_settings

    gone = asyncio.run(swept(_place(path, socket), read_settings(), hours * 3600))
    if as_json:
        put_json({"removed": list(gone)})
    else:
        put("\n".join(f"removed {name}" for name in gone) or "nothing to remove")
    return EXIT_HEALTHY


def _place(path: Path, socket: Path | None) -> "QueuePlace":
    """The queue of the clone around `path`. Raises UserError."""
    from healing.git import GitError
    from healing.git.branches import Branches

    try:
        with Branches.of(path.resolve()) as branches:
            return _place_of(branches.path, socket)
    except GitError as error:
        raise UserError(str(error)) from error


def _place_of(common: Path, socket: Path | None) -> "QueuePlace":
    from bot.queue_socket.place import place_of
    from bot.settings import read_settings

    return place_of(read_settings().data, common, socket)


def _ask(place: "QueuePlace", verb: str, **more: object) -> dict[str, Any]:
    """The queue's answer. Raises CouldNotReproduce if nobody serves the queue, UserError if it refuses."""
    from bot.queue_socket.client import NotServed, ask

    timeout = None if verb == "WAIT" else 60.0
    try:
        return ask(place.socket, verb, limit=timeout, **more)
    except NotServed as error:
        raise CouldNotReproduce(str(error)) from error


def _agent_at(status: dict[str, Any], files: Path) -> dict[str, Any]:
    """The agent that joined with this worktree. Raises UserError."""
    found = [agent for agent in status["agents"] if agent["worktree"] == str(files)]
    if not found:
        raise UserError(f"no agent has joined the queue with {files}; begin with: heal queue join")
    return next((agent for agent in found if not agent["ended"]), found[-1])

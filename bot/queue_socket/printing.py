"""The queue's answers as lines for people."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SIDES = (("base", "the base"), ("ours", "the integration branch"), ("theirs", "yours"))


def session_lines(session: Mapping[str, Any]) -> Iterator[str]:
    """A session with its agents and errors."""
    ended = f" ({session['verdict']})" if session["verdict"] else ""
    yield f"{session['session_id']}  {session['state']}{ended}  {session['feature_branch']}"
    if session["problem"]:
        yield f"    problem: {session['problem']}"
    for agent in session["agents"]:
        why = f"  {agent['ended']}: {agent['why']}" if agent["why"] else ""
        yield f"    {agent['agent_id']:<20}{agent['status']:<10}{agent['branch']}{why}"
    yield from red_lines(session)


def red_lines(details: Mapping[str, Any]) -> Iterator[str]:
    """The errors that the integration branch has now."""
    for error in details["errors"][:20]:
        place = f"{error['file']}:{error.get('line', '')}: " if error.get("file") else ""
        yield f"    red: {place}{error.get('message', '').partition(chr(10))[0]}"


def conflict_lines(answer: Mapping[str, Any], files: Path, ended: str) -> Iterator[str]:
    """A conflict with base and both sides, and what to do."""
    yield f"conflict in {len(answer['names'])} file(s): {', '.join(answer['names'][:20])}"
    for one in answer["files"]:
        for side, whose in SIDES:
            yield f"--- {one['file']}, {whose}"
            yield _side(one, side, answer[f"{side}_commit"])
    if ended:
        yield f"It is given up (unfixable: {ended}), handed back too often. The work stays on its branch, {files}"
        return
    yield f"{answer['advice']}. Tries left: {answer['retries_left']}. The worktree: {files}"


def _side(one: Mapping[str, Any], side: str, commit: str) -> str:
    if not one["there"][side]:
        return "(no such file)"
    if one[side] is None:
        return f"({'binary' if one['binary'] else 'too long'}; see: git show {commit[:12]}:{one['file']})"
    return str(one[side]).rstrip("\n") + (f"\n(cut; see: git show {commit[:12]}:{one['file']})" if one["cut"] else "")


def end_lines(answer: Mapping[str, Any]) -> Iterator[str]:
    """The result of ending a session."""
    details = answer["details"]
    for run in details["validation"]:
        ended = "did not end" if run["exit_code"] is None else f"exit code {run['exit_code']}"
        yield f"{run['stage']}: $ {run['command']}  {run['why'] or ended}"
    if not details["verdict"]:
        yield f"red: back to work for repair round {details['repair_round']}; then end the session again"
    elif details["verdict"] == "unvalidated":
        yield f"ended as the branch {details['feature_branch']}; nothing validated it (heal queue serve --tests CMD)"
    else:
        yield f"ended as the branch {details['feature_branch']}: {details['verdict']} {details['problem']}".rstrip()
    yield from red_lines(details)
    if answer.get("deleted_branches"):
        yield f"deleted, because their work was merged: {', '.join(answer['deleted_branches'])}"
    if "pull_request" in answer:
        yield f"pull request: {answer['pull_request']}"

"""How an agent continues after an error is settled: with a new branch off the trunk, which starts with what was done
and what was read."""

from collections.abc import Iterable

from healing.repair.agents import wording
from healing.repair.agents.done import Done, read_before, scratch_copy
from healing.repair.agents.ledger import ClusterLedger
from healing.repair.agents.scratch import Scratch


async def opening(ledger: ClusterLedger, scratch: Scratch, target: str, beside: str, nonce: str) -> str:
    """The text that begins an error's branch; `beside` are the answers to the other calls of the reply that ended the
    last branch."""
    others = [i for i in ledger.missing() if i != target]
    left, ended = _files_of(ledger, ledger.missing()), _files_of(ledger, ledger.settled())
    parts, unshown = await scratch.reads.kept(scratch.read, left, ended - left, bool(beside))
    done = Done(
        accepted=wording.edits_of(ledger.proposals, nonce),
        copy=scratch_copy(len(scratch.holds), len(ledger.proposals), scratch.touched(), nonce),
        beside=beside,
        kept=read_before(parts, unshown, nonce),
    )
    return wording.opening(ledger.task, target, ledger.lines(), others, nonce, done)


def _files_of(ledger: ClusterLedger, ids: Iterable[str]) -> set[str]:
    """The files that these errors name."""
    wanted = set(ids)
    errors = [error for error in ledger.task.errors if error.id in wanted]
    return {file for error in errors for file in (error.file, *(r.file for r in error.related)) if file}

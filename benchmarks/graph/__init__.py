"""The import graph beside others: the same edges, cold and after a change. Packages are fetched, nothing is kept."""

import tempfile
from pathlib import Path

from benchmarks.graph import go, python, scripts, warm
from benchmarks.graph.compared import Compared
from benchmarks.shape import Goal, Result

TWICE = 2.0


async def measure() -> Result:
    """Edges of each repository by Heal and by a peer in the same call; what can't be fetched or run here says so."""
    result = Result("graph", warm.SEED, packages=("grimp", "tree-sitter"))
    with tempfile.TemporaryDirectory() as folder:
        groups = {peer.__name__.rpartition(".")[2]: peer.compared(Path(folder)) for peer in (python, scripts, go)}
    for group, found in groups.items():
        result.rows += [one.row() for one in found]
        result.goals.append(_exact(group, found))
    result.goals.append(_cold(groups["python"]))
    seconds = warm.seconds()
    result.rows += [
        {"repository": "generated, 5,000 files", "peer": name, "heal": took} for name, took in seconds.items()
    ]
    change = seconds["one file changed"]
    result.goals.append(Goal("warm after a one-file change, seconds", "< 0.05", round(change, 4), change < 0.05))
    return result


def _exact(group: str, found: list[Compared]) -> Goal:
    done = [one for one in found if not one.problem]
    differing = sum(len(one.missing) + len(one.extra) for one in done)
    return Goal(
        f"{group}: edges that differ from the peer's", "0", differing if done else None, bool(done) and not differing
    )


def _cold(found: list[Compared]) -> Goal:
    ours, theirs = sum(one.heal for one in found), sum(one.peer_seconds for one in found)
    times = round(ours / theirs, 2) if theirs else None
    return Goal(
        "python: cold time as a multiple of grimp's, all packages", "<= 2", times, times is not None and times <= TWICE
    )

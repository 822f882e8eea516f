"""Who stands beside Heal: real programs, installed for the run, and for each what is compared with it and what not."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """`benchmark` is the command that runs it. What is not compared is what it does and Heal does not, or what can't be
    told from a run here."""

    benchmark: str
    name: str
    compared: str
    not_compared: str


PEERS = (
    Peer(
        "extraction",
        "reviewdog's errorformat",
        "which errors of real logs are found, with file and line, by all formats that it ships",
        "speed; formats that a user writes for it; how reviewdog shows what it found",
    ),
    Peer(
        "extraction",
        "a regular expression for `file:line: message`",
        "the same, and megabytes a second: what one writes on the first day",
        "nothing else; it does nothing else",
    ),
    Peer(
        "graph",
        "grimp",
        "the edges between modules of well-known Python packages, and the time for them from nothing",
        "its contracts, layers and chains; graphs that are kept (Heal's second look is measured by itself)",
    ),
    Peer(
        "graph",
        "madge and dependency-cruiser",
        "the edges between files of the sources that well-known npm packages ship, and the time from nothing",
        "bundlers' aliases; edges to other packages; dependency-cruiser's rules and its `/// <reference path>`; "
        "declarations (.d.ts) of a build",
    ),
    Peer("graph", "go list", "the edges between packages of Go modules", "files: it tells packages alone"),
    Peer(
        "merge",
        "git merge-tree",
        "which pairs of changes merge cleanly, and to which tree",
        "renames, which Heal's merge does not follow; strategies other than git's own",
    ),
    Peer(
        "queue",
        "git merge --no-ff, one after another",
        "the tree that 100 branches give, and the time",
        "conflicts: none of the hundred has one",
    ),
    Peer(
        "worktrees",
        "git worktree add and remove",
        "time and disk of fifty worktrees of 10,000 files",
        "branches of them, `git worktree` commands in them",
    ),
    Peer(
        "delivery",
        "a Probot app with the same handler",
        "time and memory of the acknowledgement of webhooks, which both keep on the disk before they answer",
        "what either does afterwards; several processes of Probot",
    ),
    Peer(
        "free",
        "ruff --fix and ruff format; eslint --fix",
        "how many errors of broken packages are gone, by the same commands on the result: what autofix services do",
        "how they deliver it; errors that only their paid parts see",
    ),
    Peer(
        "cost",
        "one agent for each error, nothing cached",
        "calls, tokens and dollars of 200 errors, by the published call profile, through the real loop and SDK",
        "whether it would heal them: no model is asked here",
    ),
    Peer(
        "realworld",
        "one agent for each error, nothing cached",
        "the same for the errors of real projects that were broken, beside what Heal asks for them",
        "whether it would heal them; time of its replies",
    ),
    Peer(
        "sandbox",
        "the same command without a sandbox",
        "milliseconds of a start, and what it costs the processors",
        "containers and virtual machines",
    ),
    Peer(
        "loop",
        "the pull request's own CI",
        "seconds until the first suggestion beside what a person waits for anyway",
        "GitHub's own queue and its hosted machines",
    ),
)

"""Results of checks that several tests share: the same command on the same tree says the same (CK-3)."""

from collections.abc import Awaitable, Callable

from healing.git import Git, GitError
from healing.model import content_id
from healing.steps import Json, Steps

POLICY = ".github/heal.yml"  # Heal alone reads it: no check of the tests does


class Remembering:
    """Steps that run a check on a tree once for all who share `results`; each still stores the result as its own.
    Trees that differ in Heal's own policy alone are one tree to a check."""

    def __init__(self, steps: Steps, results: dict[str, Json], git: Git) -> None:
        self._steps = steps
        self._results = results
        self._git = git

    async def run(self, kind: str, key: Json, fn: Callable[[], Awaitable[Json]]) -> Json:
        if kind != "check":
            return await self._steps.run(kind, key, fn)
        check, tree, *rest = key
        name = content_id(check, self._without_policy(tree), *rest)

        async def remembered() -> Json:
            if name not in self._results:
                self._results[name] = await fn()
            return {**self._results[name], "tree": tree}

        return await self._steps.run(kind, key, remembered)

    def _without_policy(self, tree: str) -> str:
        try:
            has_policy = POLICY in self._git.view(tree).paths()
            return self._git.write_tree(tree, {POLICY: None}) if has_policy else tree
        except GitError:  # it lies apart, in a repository of a check's own
            return tree

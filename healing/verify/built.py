"""The tree that CI builds from a branch: on pull requests the merge of head and base."""

from healing.failed_jobs import Trees
from healing.git import Git


def built_from(git: Git, trees: Trees, head_tree: str) -> str | None:
    """What CI would build were the branch at `head_tree`; None where that doesn't merge with its base."""
    if head_tree == trees.head:
        return trees.built
    if trees.target is None or trees.merge_base is None:
        return head_tree
    return git.merge(trees.merge_base, head_tree, trees.target).tree

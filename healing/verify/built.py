"""The tree that CI builds from a branch: on pull requests the merge of head and base."""

from healing.failed_jobs import Trees
from healing.git import Git


def built_from(git: Git, trees: Trees, head_tree: str) -> str | None:
    """The tree that CI would build if the branch were at `head_tree`; None if that doesn't merge with its base."""
    if head_tree == trees.head:
        return trees.built
    if trees.target is None or trees.merge_base is None:
        return head_tree
    return git.merge(trees.merge_base, head_tree, trees.target).tree

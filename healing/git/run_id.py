"""The name of one healing: same code, same run."""

import hashlib


def run_id(tree: str, commit: str) -> str:
    """First 16 hex digits of the sha256 over tree hash and commit SHA, joined. Raises ValueError for anything else."""
    joined = (tree + commit).lower()
    if len(tree) != len(commit) or len(tree) not in (40, 64) or set(joined) - set("0123456789abcdef"):
        raise ValueError("a run id is made of a tree id and a commit id in full, both in hex")
    return hashlib.sha256(joined.encode()).hexdigest()[:16]

"""The id of a run: the same code has the same run id."""

import hashlib


def run_id(tree: str, commit: str) -> str:
    """The first 16 hex digits of the SHA-256 over tree id and commit id, joined. Raises ValueError unless both are full
    hex ids."""
    joined = (tree + commit).lower()
    if len(tree) != len(commit) or len(tree) not in (40, 64) or set(joined) - set("0123456789abcdef"):
        raise ValueError("a run id is made of a tree id and a commit id in full, both in hex")
    return hashlib.sha256(joined.encode()).hexdigest()[:16]

"""Rule: a fix is text in plain files: no links, submodules or binary files."""

from collections.abc import Iterator

from healing.verify.guard.patch import GuardFinding, WholeChange

RULE = "kinds"
PLAIN = {"100644", "100755", "644", "755"}


def findings(patch: WholeChange) -> Iterator[GuardFinding]:
    """One finding for each file that is something else, or lies outside the repository."""
    for file in patch.files:
        if file.mode not in PLAIN:
            yield GuardFinding(
                RULE, file.path, f"is no plain file (mode {file.mode[:12]}): a link or another repository"
            )
        elif file.new is not None and b"\0" in file.new and b"\0" not in (file.old or b""):
            yield GuardFinding(RULE, file.path, "is binary; nobody can review it")
        elif ".." in file.path.split("/") or file.path.startswith("/"):
            yield GuardFinding(RULE, file.path, "lies outside of the repository")

"""git in a job: conflicts, rejections, missing refs, patches that don't apply, whitespace errors."""

import re

from healing.logs.shapes import Row, RowPair, shaped
from healing.model import Category

_MESSAGES = (
    r"pathspec '.{1,300}' did not match any.{0,80}|patch (?:failed|does not apply).{0,200}|failed to merge.{0,200}"
    r"|could not (?:apply|revert) .{1,300}|Your local changes .{1,300}|cannot (?:lock ref|pull with"
    r" rebase|rebase).{1,300}"
    r"|The following untracked working tree files would be overwritten.{0,80}|unable to "
    r"(?:read|create|write|unlink) .{1,300}"
)
_DIES = (
    r"(?:repository|couldn't find remote ref|reference is not a tree|not a git repository|refusing to merge unrelated"
    r"|Authentication failed|could not read (?:Username|Password|from remote)|unable to access|Could not read"
    r" from remote"
    r"|bad revision|ambiguous argument|Not possible to fast-forward|No url found for submodule|detected dubious"
    r" ownership"
    r"|the remote end hung up|early EOF|index-pack failed|invalid reference|bad object|no such (?:branch|path)|path '"
    r"|a branch named|tag '|remote error|unable to checkout|Unable to create|Need to specify how to reconcile)"
)

FORMAT = shaped(
    "git",
    ("CONFLICT (", "error: pathspec", "error: patch", "error: Your local", "error: The following untracked",
     "error: could not ",
     "error: cannot ", "fatal: ", "! [re", ": trailing whitespace.", ": leftover conflict marker",
     ": space before tab", ": new blank line at EOF",
     "error: unable to ", "error: failed to merge"),
    Row(tool="git", category=Category.CONFIG, line=re.compile(
        r"CONFLICT \([^()]{1,40}\): (?P<message>Merge conflict in (?P<file>\S.{0,300}))$")),
    Row(tool="git", category=Category.CONFIG, line=re.compile(
        r"(?P<message>CONFLICT \([^()]{1,40}\): (?P<file>[^\s:]{1,300})\.? .{1,300})$")),
    RowPair(
        tool="git",
        category=Category.CONFIG,
        first=re.compile(r"error: (?P<message>patch failed): (?P<file>[^\s:]{1,300}):(?P<line>\d{1,7})$"),
        then=re.compile(r"error: [^\s:]{1,300}: patch does not apply$"),
        reach=1,
        alone=True,
    ),
    Row(tool="git", category=Category.CONFIG, line=re.compile(rf"error: (?P<message>{_MESSAGES})$")),
    Row(tool="git", category=Category.INFRASTRUCTURE, line=re.compile(rf"(?:remote: )?fatal: "
        rf"(?P<message>{_DIES}.{{0,400}})$")),
    RowPair(tool="git", category=Category.CONFIG,
        first=re.compile(r"\s?! \[(?:remote )?(?P<message>rejected\]\s{1,20}\S.{1,300})$"),
        then=re.compile(r"error: failed to push some refs"), reach=3, alone=True),
    Row(tool="git", category=Category.FORMAT, line=re.compile(
        r"(?P<file>[^\s:][^:]{0,300}):(?P<line>\d{1,7}): "
        r"(?P<message>trailing whitespace\.|leftover conflict marker|space before tab in indent\.|new blank line"
        r" at EOF\."
        r"|trailing whitespace, .{1,60}|indent with spaces\.|tab in indent\.)$")),
)  # fmt: skip

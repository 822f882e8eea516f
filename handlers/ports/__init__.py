"""What the conversation may ask of the context, as protocols; `bot` implements them, tests use the real ones.

Nothing here can see a token. Reading and writing are apart: `GitHub` only reads; `Publisher` is the only writer, and
each of its methods is idempotent by content (a hidden marker is looked for before, and read back after).
"""

from handlers.ports.accounts import Accounts
from handlers.ports.addresses import Addresses
from handlers.ports.chat import Chat, ChatMessage, ChatOutcome
from handlers.ports.ci import CiRunNow, CiState, GreenJob, Job, JobStep
from handlers.ports.context import Context, Enqueue
from handlers.ports.github import GitHub
from handlers.ports.healer import Healer, Setting, Settings, Verified
from handlers.ports.page import ChangedFile, Comment, HeadMoved, Pull, Refused, ReviewComment, ReviewThread
from handlers.ports.publisher import Publisher
from handlers.ports.store import Store
from handlers.ports.stored import (
    ASKED,
    EVERY,
    STANDING,
    UNFINISHED,
    Allowance,
    CIWait,
    Delivery,
    Fixup,
    FixupState,
    ProposalChange,
    ProposalStatus,
    Run,
    StoredProposal,
    Tally,
)

__all__ = [
    "ASKED",
    "EVERY",
    "STANDING",
    "UNFINISHED",
    "Accounts",
    "Addresses",
    "Allowance",
    "CIWait",
    "ChangedFile",
    "Chat",
    "ChatMessage",
    "ChatOutcome",
    "CiRunNow",
    "CiState",
    "Comment",
    "Context",
    "Delivery",
    "Enqueue",
    "Fixup",
    "FixupState",
    "GitHub",
    "GreenJob",
    "HeadMoved",
    "Healer",
    "Job",
    "JobStep",
    "ProposalChange",
    "ProposalStatus",
    "Publisher",
    "Pull",
    "Refused",
    "ReviewComment",
    "ReviewThread",
    "Run",
    "Setting",
    "Settings",
    "Store",
    "StoredProposal",
    "Tally",
    "Verified",
]

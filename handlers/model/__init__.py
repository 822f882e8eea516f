"""Protocols and values that handlers work with; `bot` implements the protocols.

Handlers never have access to a token. Reading and writing are separate: `GitHub` only reads; `Publisher` is the only
writer, and each of its methods is idempotent by content (a hidden marker is looked for before, and read back after).
"""

from handlers.model.accounts import Accounts
from handlers.model.addresses import Addresses
from handlers.model.chat import Chat, ChatMessage, ChatOutcome
from handlers.model.ci import CiRunNow, CiState, GreenJob, Job, JobStep
from handlers.model.context import Context, Enqueue
from handlers.model.github import GitHub
from handlers.model.healer import Healer, Setting, Settings, Verified
from handlers.model.page import ChangedFile, Comment, HeadMoved, Pull, Refused, ReviewComment, ReviewThread
from handlers.model.publisher import Publisher
from handlers.model.store import Store
from handlers.model.stored import (
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

"""How a fix was made, in words: `fixer:missing_import` and `agent:generalist` are names for programs."""

from handlers.comments.clean import prose

_MADE = {
    "autofix": "by {}",
    "fixer": "by the rule “{}”",
    "agent": "by an AI model",
    "memory": "as once before",
    "search": "by trying small changes",
    "suggested": "as suggested by {}",
}


def made_by(source: str) -> str:
    """How one fix was made (`Proposal.source`), as Markdown."""
    return prose(_words(source), 100)


def kind_of_fix(kind: str) -> str:
    """A kind of fixes (`fixer:missing_import ruff F821`) for after the word "fixes", as plain text."""
    source, _, about = kind.partition(" ")
    maker, _, name = source.partition(":")
    agent = f" (agent “{name.replace('_', ' ')}”)" if maker == "agent" else ""
    return f"made {_words(source)}{agent}{f' for {about}' if about else ''}"


def _words(source: str) -> str:
    kind, _, name = source.partition(":")
    return _MADE.get(kind, "by {}").format((name or kind).replace("_", " "))

"""How a fix was made, in words: `fixer:missing_import` and `agent:generalist` are names for programs."""

from handlers.comments.clean import prose

_MADE = {
    "autofix": "{}",
    "fixer": "the rule “{}”",
    "agent": "an AI model",
    "memory": "repeating a fix that was accepted before",
    "search": "trying small changes",
    "suggested": "following a suggestion by {}",
}


def made_by(source: str) -> str:
    """What made one fix (`Proposal.source`), as Markdown that follows "made by"."""
    return prose(_words(source), 100)


def kind_of_fix(kind: str) -> str:
    """A kind of fixes (`fixer:missing_import ruff F821`) for after the word "fixes", as plain text."""
    source, _, about = kind.partition(" ")
    maker, _, name = source.partition(":")
    agent = f" (agent “{name.replace('_', ' ')}”)" if maker == "agent" else ""
    return f"made by {_words(source)}{agent}{f' for {about}' if about else ''}"


def _words(source: str) -> str:
    kind, _, name = source.partition(":")
    return _MADE.get(kind, "{}").format((name or kind).replace("_", " "))

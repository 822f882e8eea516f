"""Whether a reply can be stored and sent again as it is; used by both adapters."""

import json

from healing.llm.errors import Retryable
from healing.llm.protocol import Block

MISSHAPEN = (AttributeError, KeyError, TypeError, ValueError)  # raised when a malformed reply is read


def malformed_reply(error: Exception) -> Retryable:
    """The error for a reply that doesn't have the form of its protocol's messages."""
    return Retryable(f"the reply did not have the form of a message ({type(error).__name__}).", billed=True)


def without_blank_texts(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without texts of white space only, which no provider accepts in a request. Raises Retryable for broken
    text."""
    kept = tuple(block for block in blocks if block["type"] != "text" or block["text"].strip())
    try:
        json.dumps(kept, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Retryable("the reply held broken text (lone surrogates).", billed=True) from error
    return kept

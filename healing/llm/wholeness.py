"""Whether a reply can be kept and sent again as it is: both adapters ask the same."""

import json

from healing.llm.errors import Retryable
from healing.llm.protocol import Block

MISSHAPEN = (AttributeError, KeyError, TypeError, ValueError)  # what reading a reply of the wrong form raises


def misshapen(error: Exception) -> Retryable:
    """What a reply means that is no message of its protocol's form."""
    return Retryable(f"the reply did not have the form of a message ({type(error).__name__}).", billed=True)


def sayable(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without texts of white space alone, which no provider takes back. Raises Retryable for broken text."""
    kept = tuple(block for block in blocks if block["type"] != "text" or block["text"].strip())
    try:
        json.dumps(kept, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Retryable("the reply held broken text (lone surrogates).", billed=True) from error
    return kept

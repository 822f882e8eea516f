"""The model providers, and how each deviates from its protocol: data, no code.

A model is named `provider/model` (`groq/openai/gpt-oss-120b`); without a provider it is Anthropic's.
"""

from dataclasses import dataclass, field
from typing import Literal

DEFAULT = "anthropic"


@dataclass(frozen=True)
class Provider:
    """One provider and its quirks, each a flag.

    `protocol`: the Messages API or Chat Completions. `length`: the field that bounds the reply. `strict`: supports
    strict tools. `efforts`: which of its models take a reasoning effort, by prefix, with the only value that they take
    beside tools (empty: the requested one); others are sent none. `marks`: passes cache marks on to Claude. `keyed`:
    names the prompt's cache by a key. `echoes`: fields of a tool call that must be sent back verbatim. `keyless`: needs
    no key.
    """

    name: str
    url: str
    key: str  # the environment variable with its key
    protocol: Literal["messages", "chat"] = "chat"
    length: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    strict: bool = False
    efforts: tuple[tuple[str, str], ...] = ()
    marks: bool = False
    keyed: bool = False
    echoes: tuple[str, ...] = ()
    keyless: bool = False


# In the documented order of the fallback chain, after Anthropic.
PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(DEFAULT, "https://api.anthropic.com", "ANTHROPIC_API_KEY", "messages"),
        Provider(
            "groq",
            "https://api.groq.com/openai/v1",
            "GROQ_API_KEY",
            length="max_completion_tokens",
            efforts=(("openai/gpt-oss", ""), ("qwen/", "default")),
        ),
        Provider(
            "openai",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            length="max_completion_tokens",
            strict=True,
            efforts=(("gpt-5.6", "none"), ("gpt-6", "none"), ("gpt-5", ""), ("o", "")),
            keyed=True,
        ),
        Provider(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "GEMINI_API_KEY",
            efforts=(("", ""),),
            echoes=("extra_content",),
        ),
        Provider("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", efforts=(("", ""),), marks=True),
        Provider("ollama", "http://localhost:11434/v1", "OLLAMA_API_KEY", keyless=True),
    )
}


@dataclass(frozen=True)
class Named:
    """A model's full name, split: `groq/openai/gpt-oss-120b` is `openai/gpt-oss-120b` of Groq."""

    full: str
    provider: Provider = field(repr=False)
    model: str

    @classmethod
    def of(cls, full: str) -> "Named":
        """Splits a name. If its first part is no provider, the whole name is a model of Anthropic's (a gateway's own
        name)."""
        first, slash, rest = full.partition("/")
        if slash and first in PROVIDERS:
            return cls(full, PROVIDERS[first], rest)
        return cls(full, PROVIDERS[DEFAULT], full)

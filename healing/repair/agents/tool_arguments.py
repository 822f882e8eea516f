"""The agents' tools as a model sees them: strict schemas, sorted by name, the same bytes in every request.

The argument classes are the only description: the schemas are generated from them, and a model's calls are validated by
them.
"""

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from healing.llm.protocol import Block

DROPPED = {"title", "default", "minimum", "maximum", "description_of_class"}


class Arguments(BaseModel):
    """Arguments of one tool; its docstring is the tool's description."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ReadFile(Arguments):
    """Shows a file's lines."""

    file: str
    first_line: int
    last_line: int = Field(description="0: to the end.")


class EditFile(Arguments):
    """Replaces text; an empty old_string creates the file."""

    file: str
    old_string: str
    new_string: str


class Glob(Arguments):
    """Lists files by a shell pattern."""

    pattern: str


class Grep(Arguments):
    """Finds lines by a case-sensitive RE2 expression: counts, then the first."""

    expression: str
    files: str = Field(description="Shell pattern.")
    context: int = Field(description="0 to 5 lines around each.")


class Definition(Arguments):
    """Shows the whole definitions of a name like Shop.total."""

    symbol: str


class RunCheck(Arguments):
    """Runs the failed check of these errors."""

    error_ids: list[str]


class RunStep(Arguments):
    """Runs a whole step of CI."""

    label: str = Field(description="As the first message lists it.")


class RunCommand(Arguments):
    """Runs a program without a shell; what it changes is thrown away."""

    argv: list[str] = Field(description="Begins as the first message lists.")
    folder: str = Field(description=". for the root.")


class LookupDocs(Arguments):
    """Searches the documentation of a published library. Never send this repository's code."""

    library: str
    question: str = Field(description="One short line.")


class EditArgument(Arguments):
    """One replacement in the base."""

    file: str
    old_string: str
    new_string: str


class SuggestFix(Arguments):
    """Submits a fix."""

    error_ids: list[str] = Field(description='Those that it settles; ["all"]: Heal finds out which.')
    title: str = Field(description="One short line.")
    explanation: str = Field(description="What was wrong and why this fixes it, in 2 or 3 sentences.")
    confidence: int = Field(ge=1, le=100, description="1 to 100.")
    edits: list[EditArgument] = Field(description="Of the base. []: your changes.")


class ReportUnfixable(Arguments):
    """Reports errors that no right change of this code fixes."""

    error_ids: list[str]
    tried: str
    why: str
    advice: str = Field(description="What a person could do.")


class WithdrawFix(Arguments):
    """Withdraws an accepted fix of yours."""

    fix_id: str
    why: str


class WrongArguments(Exception):
    """The model's arguments don't match the tool; the message names each fault."""


TOOLS: dict[str, type[Arguments]] = {
    "definition": Definition,
    "edit_file": EditFile,
    "glob": Glob,
    "grep": Grep,
    "lookup_docs": LookupDocs,
    "read_file": ReadFile,
    "report_unfixable": ReportUnfixable,
    "run_check": RunCheck,
    "run_command": RunCommand,
    "run_step": RunStep,
    "suggest_fix": SuggestFix,
    "withdraw_fix": WithdrawFix,
}


ALWAYS = ("report_unfixable", "suggest_fix")  # the tools that settle an error


def schemas(names: tuple[str, ...]) -> tuple[Block, ...]:
    """The named tools, sorted. The two that settle an error are always included."""
    return tuple(map(_schema, sorted({*names, *ALWAYS})))


@cache
def _schema(name: str) -> Block:
    return schema_of(name, TOOLS[name])


def schema_of(name: str, kind: type[Arguments]) -> Block:
    """A strict tool with these arguments."""
    model_schema = kind.model_json_schema()
    definitions = model_schema.pop("$defs", {})
    schema = _plain(model_schema, definitions)
    return {"name": name, "description": schema.pop("description"), "input_schema": schema, "strict": True}


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    """The schema without what strict tools don't support: references, bounds and titles."""
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        inner = definitions[node["$ref"].rpartition("/")[2]]
        return _plain({key: value for key, value in inner.items() if key != "description"}, definitions)
    properties = node.get("properties")
    kept = {key: _plain(value, definitions) for key, value in node.items() if key not in {*DROPPED, "properties"}}
    if properties is not None:
        kept["properties"] = {key: _plain(value, definitions) for key, value in properties.items()}
    return kept


def parse(name: str, arguments: dict[str, Any], allowed: tuple[str, ...]) -> Arguments:
    """The validated arguments. Raises WrongArguments."""
    kind = TOOLS.get(name)
    if kind is None or name not in {*allowed, *ALWAYS}:
        raise WrongArguments(f"there is no tool {name!r:.80}; use one of: {', '.join(sorted({*allowed, *ALWAYS}))}")
    try:
        return kind.model_validate(arguments)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'input'}: {e['msg']}" for e in error.errors()[:10])
        raise WrongArguments(
            f"{name} was not run, its input is wrong: {faults}. Send it again with that corrected."
        ) from error

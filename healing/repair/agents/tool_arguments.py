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
    """Shows a part of a file of your scratch copy with line numbers, at most 10,000 characters."""

    file: str = Field(description="Its path.")
    first_line: int = Field(description="First line to show, from 1.")
    last_line: int = Field(description="Last line to show; 0 for the end of the file.")


class EditFile(Arguments):
    """Replaces text in a file of your scratch copy. An empty old_string creates a file."""

    file: str = Field(description="Its path.")
    old_string: str = Field(description="Stands in the file exactly once, copied verbatim.")
    new_string: str = Field(description="What takes its place.")


class Glob(Arguments):
    """Lists files whose path matches a pattern."""

    pattern: str = Field(description="Shell pattern over the whole path; * also matches slashes: src/*.py, *test*.")


class Grep(Arguments):
    """Finds lines by a regular expression: counts by file, then the first lines."""

    expression: str = Field(description="In RE2's syntax, within one line, case-sensitive.")
    files: str = Field(description="Shell pattern over the paths; * for all.")
    context: int = Field(description="Lines to show around each, 0 to 5.")


class WrongArguments(Exception):
    """The model's arguments don't match the tool; the message names each fault."""


class Definition(Arguments):
    """Shows the definitions of a name, whole, wherever they are."""

    symbol: str = Field(description="Of a function, class or constant: total, Shop.total.")


class RunCheck(Arguments):
    """Runs the failed check of these errors on your scratch copy: exit code and output."""

    error_ids: list[str] = Field(description="Which errors' check to run.")


class RunStep(Arguments):
    """Runs a whole step of the failed jobs on your scratch copy: exit code and output."""

    label: str = Field(description="The step's label, as the first message lists it.")


class RunCommand(Arguments):
    """Runs a program, without a shell, on a copy of your scratch copy that is thrown away: exit code and output. It has
    to begin as the first message lists."""

    argv: list[str] = Field(description="The program and its arguments, a word each.")
    folder: str = Field(description="Folder to run it in; . for the root.")


class LookupDocs(Arguments):
    """Looks something up in the documentation of a published library. Put no code of this repository into it."""

    library: str = Field(description="The library's name, as people know it.")
    question: str = Field(description="What to look for, in one short line.")


class EditArgument(Arguments):
    """One replacement against the base."""

    file: str = Field(description="Its path.")
    old_string: str = Field(description="Stands in the base's file exactly once; empty to create it.")
    new_string: str = Field(description="What takes its place.")


class SuggestFix(Arguments):
    """Hands in a fix to be proven on a clean tree of the base, and offered to a person if it holds."""

    error_ids: list[str] = Field(description='The errors that this one fix settles; ["all"]: all that are open.')
    title: str = Field(description="What the fix does, in one short line.")
    explanation: str = Field(description="What was wrong and why this fixes it, in two or three sentences.")
    confidence: int = Field(ge=1, le=100, description="How sure you are, 1 to 100; it only orders review.")
    edits: list[EditArgument] = Field(description="Empty: what you changed. Else edits to the base.")


class ReportUnfixable(Arguments):
    """Hands in a report on errors that no sound change of this code fixes."""

    error_ids: list[str] = Field(description="The errors that the report is about.")
    tried: str = Field(description="What was tried or examined.")
    why: str = Field(description="Why it can't or should not be repaired here.")
    advice: str = Field(description="What a person could do.")


class WithdrawFix(Arguments):
    """Takes back an accepted fix of yours."""

    fix_id: str = Field(description="Its id.")
    why: str = Field(description="What is wrong with it.")


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
        return _plain(definitions[node["$ref"].rpartition("/")[2]], definitions)
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

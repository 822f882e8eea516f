"""The Rust compiler's and clippy's suggestions, from cargo's JSON messages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, SURE, UNSURE, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.rust import BUILT_OUTSIDE, MANIFEST
from healing.repair.tools.settings import ToolConfig, with_ending
from healing.view import TreeView

OPTIONS = frozenset({"-p", "--package", "--features", "--manifest-path"})
FLAGS = frozenset({"--all-features", "--no-default-features", "--workspace", "--all", "--locked", "--offline"})
SURENESS = {"MachineApplicable": SURE, "MaybeIncorrect": LIKELY, "Unspecified": UNSURE}  # HasPlaceholders: none


@dataclass(frozen=True)
class Rustc:
    """Runs clippy where CI does, since its output includes the compiler's."""

    name: str = "rustc"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.tool in ("rustc", "clippy", "cargo") and e.file)

    def calls(self, files: tuple[str, ...], errors: tuple[CIError, ...], tool_config: ToolConfig) -> tuple[Call, ...]:
        clippy = any(e.tool == "clippy" for e in errors) or any(
            "clippy" in rest for rest in tool_config.called("cargo")
        )
        options = tool_config.options("cargo", OPTIONS, FLAGS)
        argv = ("cargo", "clippy" if clippy else "check", "--message-format=json", "--all-targets", *options)
        folders = sorted({tool_config.nearest(file, MANIFEST) for file in with_ending(files, (".rs",))})
        return tuple(Call(argv, folder, codes=(0, 101), env=BUILT_OUTSIDE) for folder in folders)

    def read(self, answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        files = {e.file for e in errors if e.file}
        for line in objects(answer):
            message = line.get("message") if isinstance(line, dict) else None
            if isinstance(message, dict):
                try:
                    yield from _of_message(message, files, view)
                except (KeyError, TypeError, ValueError, IndexError):
                    continue


def _of_message(message: dict[str, Any], files: set[str], view: TreeView) -> Iterator[Suggestion]:
    primary = next((span for span in message["spans"] if span["is_primary"]), None)
    code = (message.get("code") or {}).get("code")
    where = _placed(primary["file_name"], files, view) if primary else None
    if primary is None or where is None:
        return
    codes = tuple(filter(None, (code, code and code.removeprefix("clippy::"))))
    for child in message["children"]:
        spans = [s for s in child["spans"] if s["suggested_replacement"] is not None]
        for way, parts in enumerate(_ways(spans)):
            sure = min(SURENESS.get(s["suggestion_applicability"] or "", 0) for s in parts)
            if sure:
                replacements = _replacements(parts, files, view)
                certainty = sure - 10 * way if len(spans) > len(parts) else sure
                title = str(child["message"])[:200]
                yield Suggestion(where, int(primary["line_start"]), title, replacements, max(certainty, 1), codes)


def _ways(spans: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The alternatives of one suggestion: several spans for the same place are alternatives; otherwise they belong
    together."""
    if not spans:
        return []
    places = {(s["file_name"], s["byte_start"], s["byte_end"]) for s in spans}
    return [[span] for span in spans] if len(places) == 1 and len(spans) > 1 else [spans]


def _replacements(parts: list[dict[str, Any]], files: set[str], view: TreeView) -> dict[str, tuple[EditSpan, ...]]:
    by_file: dict[str, tuple[EditSpan, ...]] = {}
    for part in parts:
        file = _placed(part["file_name"], files, view) or part["file_name"]
        text = str(part["suggested_replacement"]).encode()
        by_file[file] = (*by_file.get(file, ()), EditSpan(int(part["byte_start"]), int(part["byte_end"]), text))
    return by_file


def _placed(name: str, files: set[str], view: TreeView) -> str | None:
    """A path as in the repo: cargo names files relative to the workspace's folder."""
    if name in files or (view.mode(name) and not any(file.endswith(f"/{name}") for file in files)):
        return name
    inside = [file for file in files if file.endswith(f"/{name}")]
    return inside[0] if len(inside) == 1 else None

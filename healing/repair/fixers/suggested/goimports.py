"""Go: the imports that goimports would write. All of a file at once, since the compiler reports one at a time."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from healing.causes import read_message
from healing.edits.exact import EditSpan
from healing.model import CIError
from healing.repair.fixers.suggested.suggester import objects
from healing.repair.fixers.suggested.suggestion import LIKELY, Suggestion
from healing.repair.tools.call import Call
from healing.repair.tools.settings import ToolConfig, with_ending
from healing.view import TreeView

# Runs in the sandbox, in a Python without Heal.
PROGRAM = """
import json, subprocess, sys
for file in sys.argv[1:]:
    done = subprocess.run(["goimports", "./" + file], capture_output=True, text=True)
    if done.returncode == 0:
        print(json.dumps({"file": file, "text": done.stdout}))
"""
UNUSED = re.compile(r"imported (?:and|but) not used")
BODY = re.compile(rb"^(?:func|type|var|const)\b", re.MULTILINE)
HEAD = re.compile(rb"^(?:package[ \t][^\n]*|import[ \t]*\([^)]*\)[^\n]*|import[ \t]+[^\n(]*)\n", re.MULTILINE)


@dataclass(frozen=True)
class GoimportsSuggester:
    """Only the imports are taken from its output: it would format the file too."""

    name: str = "goimports"

    def wants(self, errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[CIError, ...]:
        return tuple(e for e in errors if e.line and (e.file or "").endswith(".go") and _about_imports(e))

    def calls(self, files: tuple[str, ...], _errors: tuple[CIError, ...], _tool_config: ToolConfig) -> tuple[Call, ...]:
        chosen = with_ending(files, (".go",))
        return (Call(("python", "-I", "-c", PROGRAM, *chosen)),) if chosen else ()

    def read(self, answer: str, errors: tuple[CIError, ...], view: TreeView) -> Iterator[Suggestion]:
        written = {
            answer_row.get("file"): answer_row.get("text")
            for answer_row in objects(answer)
            if isinstance(answer_row, dict)
        }
        for file in dict.fromkeys(e.file for e in errors):
            old, new = view.read(file or ""), written.get(file)
            line = next((e.line for e in errors if e.file == file and e.line), None)
            if not file or not line or old is None or not isinstance(new, str):
                continue
            text = new.encode()
            end = head_end(text)
            spans = {file: (EditSpan(0, head_end(old), text[:end]),)}
            yield Suggestion(file, line, "Import what is used, and nothing else", spans, LIKELY)


def _about_imports(error: CIError) -> bool:
    return read_message(error).family == "undefined-name" or bool(UNUSED.search(error.message[:500]))


def head_end(text: bytes) -> int:
    """Where the imports of a Go file end, or its package clause where it has none."""
    body = BODY.search(text)
    return max((found.end() for found in HEAD.finditer(text, 0, body.start() if body else len(text))), default=0)

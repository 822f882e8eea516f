"""`cargo … --message-format=json` and `rustc --error-format=json`: one diagnostic per line."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from healing.logs.format import Finding, Format
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.model import Category, Related, Severity

_LEVELS = {"error": Severity.ERROR, "error: internal compiler error": Severity.ERROR, "warning": Severity.WARNING}
_SUMMARY = re.compile(
    r"aborting due to|could not compile|\d+ (?:errors?|warnings?) emitted|[Ss]ome errors have|For more info"
)
_NOTES = 30


class _Reader:
    """Reads each line by itself."""

    busy = False

    def __init__(self, _paths: Paths) -> None:
        pass

    def read(self, line: Line) -> Iterable[Finding]:
        start = line.text.find("{")
        try:
            event = json.loads(line.text[start:]) if 0 <= start < 64 else None
        except (ValueError, RecursionError):
            return ()
        if not isinstance(event, dict):
            return ()
        message = event.get("message") if event.get("reason") == "compiler-message" else event
        finding = _finding(message, line) if isinstance(message, dict) else None
        return (finding,) if finding else ()

    def close(self) -> Iterable[Finding]:
        return ()


def _finding(message: Mapping[str, Any], line: Line) -> Finding | None:
    severity = _LEVELS.get(str(message.get("level")))
    spans = _dicts(message.get("spans"))
    code = message.get("code")
    if severity is None or (
        not spans and (severity is Severity.WARNING or _SUMMARY.match(str(message.get("message"))))
    ):
        return None
    span = next((span for span in spans if span.get("is_primary")), spans[0] if spans else {})
    name = str(code["code"]) if isinstance(code, dict) and code.get("code") else None
    children = _dicts(message.get("children"))
    lint = name is not None and not name.startswith("E0")
    return Finding(
        tool="clippy" if (name or "").startswith("clippy::") else "rustc",
        code=name,
        category=Category.LINT if lint else Category.COMPILE,
        severity=severity,
        message=str(message.get("message")),
        file=_text(span.get("file_name")),
        line=_count(span.get("line_start")),
        column=_count(span.get("column_start")),
        end_line=_count(span.get("line_end")),
        end_column=_count(span.get("column_end")),
        related=tuple(_related(spans, children))[:_NOTES],
        suggestion=_suggestion(children),
        log_line=line.number,
        excerpt=_text(message.get("rendered")) or line.text,
        score=1.0 if severity is Severity.ERROR else 0.2,
    )


def _related(spans: list[Mapping[str, Any]], children: list[Mapping[str, Any]]) -> Iterable[Related]:
    for span in spans:
        if label := _text(span.get("label")):
            yield Related(file=_text(span.get("file_name")), line=_count(span.get("line_start")), message=label)
    for child in children:
        place = next(iter(_dicts(child.get("spans"))), {})
        file, row = _text(place.get("file_name")), _count(place.get("line_start"))
        yield Related(file=file, line=row if file else None, message=str(child.get("message")))


def _suggestion(children: list[Mapping[str, Any]]) -> str | None:
    for child in children:
        texts = [_text(span.get("suggested_replacement")) for span in _dicts(child.get("spans"))]
        if texts and texts[0] is not None:
            return f"{child.get('message')}: {texts[0]}" if texts[0] else str(child.get("message"))
    return None


def _dicts(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


FORMAT = Format("cargo-json", ('"compiler-message"', '"$message_type"'), _Reader, before=0)

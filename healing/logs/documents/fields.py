"""Reads a node's fields by their names: message, code, severity, the tool's own fix, and whether it passed."""

import re

from healing.logs.documents.node import Node, Roles, Value, nodes, ranked, roles, text, vocabulary, word
from healing.model import Severity

MESSAGES = roles(
    "message", "msg", "errormessage", "issuetext", "reason", "text", "details", "detail", "description", "descr",
    "ruledescription", "longmessage", "shortmessage", "displaytext", "what", "problem", "evidence", "note",
    "explanation", "errordetail", "eventdescription", "messagetext",
    "diagnosticmessage", "classification", "rulename", "checkname",
)  # fmt: skip
TITLES = roles(
    "title", "summary", "queryname", "checkname", "issuetype", "ruledescription", "shortdescription",
    "vulnerabilityname",
)  # fmt: skip
CODES = roles(
    "ruleid", "rule", "rulecode", "rulekey", "code", "errorcode", "checkid", "check", "testid", "messageid", "copname",
    "cop", "identifier", "checkname", "checkername", "rulename", "ruleno", "defectcode", "fromlinter", "linter",
    "mnemonic", "rulenames", "queryid", "avdid", "vulnerabilityid", "bugtype", "smelltype", "warningtype",
    "issuetypeid", "patternid", "source", "identifiers", "typeid", "idref", "id", "cwe",
    "diagnosticname",
)  # fmt: skip
LABELS = roles("key", "type", "category", "kind", "mutator", "name")
SEVERITIES = roles(
    "severity", "level", "issueseverity", "messageseverity", "severitylevel", "criticality", "impact", "type", "kind",
    "priority", "rank", "category", "confidence",
)  # fmt: skip
FIXES = roles(
    "suggestion",
    "suggestedfix",
    "recommendation",
    "remediation",
    "solution",
    "resolution",
    "replacement",
    "correction",
)
OUTCOMES = roles(
    "result", "status", "state", "outcome", "kind", "checkresult", "baselinestate", "verdict", "disposition"
)
_OPEN = ("suppressed", "issuppressed", "ignored", "isignored", "whitelisted", "passed", "resolved", "falsepositive")
_PASSED = vocabulary(
    "pass passed ok success successful notapplicable notselected notchecked ignored skipped skip resolved closed "
    "fixed suppressed killed detected unchanged absent patched unaffected falsepositive disabled pending compliant"
)
_WORDS = {
    Severity.ERROR: "error err e fatal f critical blocker high severe failure failed fail x alert emergency bug",
    Severity.WARNING: "warning warn w medium moderate major minor low weak negligible unknown caution suggestion",
    Severity.NOTE: "note info information informational i hint notice none style refactor convention debug trace",
}
_BY_WORD = {text_found: severity for severity, words in _WORDS.items() for text_found in words.split()}
_CODE = re.compile(r"[\w@$][\w@$./:#\-\[\] ]{0,150}$")


def message(node: Node, names: tuple[str, ...] = ()) -> str:
    """The message: what is wrong here, after the general title of the problem where both are reported."""
    words = node.words
    if names:
        return _text_of(words, names)
    text_found, title = _text_of(words, MESSAGES), _text_of(words, TITLES)
    if not text_found and (main := next((e for e in nodes(words.get("events")) if e.words.get("main")), None)):
        return message(main)
    if not text_found and isinstance(
        inner := next((words[k] for k in _ABOUT if isinstance(words.get(k), Node)), None), Node
    ):
        return message(inner)
    if not title and isinstance(rule := words.get("rule"), Node):
        title = text(rule.words.get("title"))
    if not text_found or not title or title in text_found:
        return text_found or title
    return title if text_found in title else f"{title}: {text_found}"


_ABOUT = ("extra", "rule", "advisory", "vulnerability", "diagnostic", "attributes", "check")


def _text_of(words: dict[str, Value], names: Roles | tuple[str, ...]) -> str:
    wanted = names if isinstance(names, tuple) else ranked(words, names)
    return next((text_found for name in wanted if name in words and len(text_found := text(words[name])) > 1), "")


def code(node: Node) -> str | None:
    """The rule or check, by its most reliable field."""
    return _name(node.words, CODES)


def label(node: Node) -> str | None:
    """A label to use as the code where there is none."""
    return _name(node.words, LABELS)


def _name(words: dict[str, Value], names: Roles) -> str | None:
    for name in ranked(words, names):
        value = words.get(name)
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, Node):
            value = next((value.words[k] for k in ("id", "code", "name", "value", "key") if value.words.get(k)), None)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and _CODE.match(value) and value.lower() not in _BY_WORD:
            return value.strip()
    return None


def severity(node: Node, numbers: tuple[Severity, ...] = ()) -> Severity | None:
    """The severity by a word, or by a number where the meaning of the tool's `numbers` is known."""
    words = node.words
    for name in ranked(words, SEVERITIES):
        value = words.get(name)
        if isinstance(value, Node):
            value = value.words.get("value") or value.words.get("name")
        if isinstance(value, str) and (by_word := _BY_WORD.get(word(value))):
            return by_word
        index = int(value) if isinstance(value, (int, str)) and re.fullmatch(r"\d", str(value)) else None
        if index is not None and index < len(numbers):
            return numbers[index]
    return None


def fix(node: Node) -> str | None:
    """The tool's own fix, as text or code."""
    return _text_of(node.words, FIXES) or None


def passed(node: Node) -> bool:
    """Whether the node reports that something passed, doesn't apply, or is suppressed."""
    words = node.words
    for name in ranked(words, OUTCOMES):
        value = words.get(name)
        if isinstance(value, Node):
            value = value.words.get("result") or value.words.get("status") or value.words.get("state")
        if isinstance(value, str) and word(value) in _PASSED:
            return True
    if words.get("isnew") is False:
        return True
    analysis = words.get("analysis")
    if isinstance(analysis, Node) and passed(analysis):
        return True
    return any(words.get(name) in (True, "true", "True") for name in _OPEN)

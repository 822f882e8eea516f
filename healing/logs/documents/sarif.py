"""SARIF 2.1, the report format of many analysis tools."""

from collections.abc import Iterator

from healing.logs.documents.node import Node, Value, nodes, number, text
from healing.logs.documents.places import Place, plausible
from healing.logs.format import Finding
from healing.model import Category, Related, Severity

_LEVELS = {"error": Severity.ERROR, "warning": Severity.WARNING, "note": Severity.NOTE, "none": Severity.NOTE}
_NO_FAILURE = ("pass", "notapplicable", "informational", "open", "review")
_OLD = ("unchanged", "absent")
_MAX_RELATED = 40


def read(root: Value) -> Iterator[Finding] | None:
    """The results of all runs; None if the document isn't SARIF."""
    if not isinstance(root, Node) or not any(isinstance(root.get(key), list) for key in ("runs",)):
        return None
    runs = list(nodes(root["runs"]))
    if not any("results" in run or "tool" in run for run in runs):
        return None
    return (finding for run in runs for finding in _run(run))


def _run(run: Node) -> Iterator[Finding]:
    tool = _node(run, "tool")
    driver = _node(tool, "driver")
    parts = [driver, *nodes(tool.get("extensions"))]
    rules = [rule for part in parts for rule in nodes(part.get("rules"))] or list(
        nodes(_node(run, "resources").get("rules"))
    )
    by_id = {text(rule.get("id")): rule for rule in rules}
    name = text(driver.get("name")).lower() or "sarif"
    for result in nodes(run.get("results")):
        if _counts(result):
            yield from _result(result, run, rules, by_id, name)
    for invocation in nodes(run.get("invocations")):
        for words in nodes(invocation.get("toolConfigurationNotifications")):
            if words.get("level") == "error" and (message := _message(_node(words, "message"), Node(0))):
                yield Finding(
                    tool=name, category=Category.CONFIG, message=message, log_line=words.line, excerpt=message
                )


def _counts(result: Node) -> bool:
    accepted = any(
        text(item.get("status") or item.get("state") or "accepted") == "accepted"
        for item in nodes(result.get("suppressions"))
    )
    kind = str(result.get("kind") or "fail").lower()
    return result.whole and not accepted and kind not in _NO_FAILURE and result.get("baselineState") not in _OLD


def _result(result: Node, run: Node, rules: list[Node], by_id: dict[str, Node], tool: str) -> Iterator[Finding]:
    reference = _node(result, "rule")
    rule_id = text(result.get("ruleId")) or text(reference.get("id"))
    index = result.get("ruleIndex", reference.get("index"))
    rule = by_id.get(rule_id) or by_id.get(rule_id.partition("/")[0]) or Node(0)
    if not rule and isinstance(index, int) and 0 <= index < len(rules):
        rule = rules[index]
    default = text(_node(rule, "defaultConfiguration").get("level"))
    severity = _LEVELS.get(str(result.get("level") or default or "warning").lower(), Severity.WARNING)
    words = _message(_node(result, "message"), rule) or text(rule.get("shortDescription")) or rule_id
    if not words:
        return
    spots = [(spot, where) for where in nodes(result.get("locations")) for spot in [_place(where, run)]]
    spot = spots[0][0] if spots else Place(file=_artifact(_node(result, "analysisTarget"), run))
    tags = _node(rule, "properties").get("tags")
    risky = isinstance(tags, list) and "security" in tags
    yield Finding(
        tool=tool, category=Category.SECURITY if risky else Category.LINT, message=words, log_line=result.line,
        file=spot.file, line=spot.line, column=spot.column, end_line=spot.end_line, end_column=spot.end_column,
        code=rule_id or text(rule.get("id")) or None, severity=severity, suggestion=_fix(result),
        related=tuple(_related(result, run, spots[1:])), excerpt=words,
    )  # fmt: skip


def _message(message: Node, rule: Node) -> str:
    """The text with its `{0}` filled in; by id from the rule where there is no text."""
    words = text(message.get("text")) or text(message.get("markdown"))
    if not words:
        strings = _node(rule, "messageStrings")
        words = text(strings.get(str(message.get("id") or "default")))
    arguments = message.get("arguments")
    for index, argument in enumerate(arguments[:20] if isinstance(arguments, list) else ()):
        words = words.replace(f"{{{index}}}", str(argument))
    return words


def _place(where: Node, run: Node) -> Place:
    physical = _node(where, "physicalLocation")
    region = _node(physical, "region")
    return Place(
        file=_artifact(_node(physical, "artifactLocation"), run) or plausible(text(physical.get("uri"))),
        line=number(region.get("startLine")),
        column=number(region.get("startColumn")),
        end_line=number(region.get("endLine")),
        end_column=number(region.get("endColumn")),
    )


def _artifact(artifact: Node, run: Node) -> str | None:
    uri = text(artifact.get("uri"))
    index = artifact.get("index")
    artifacts = list(nodes(run.get("artifacts")))
    if not uri and isinstance(index, int) and 0 <= index < len(artifacts):
        return _artifact(_without_index(_node(artifacts[index], "location")), run)
    base = text(_node(_node(run, "originalUriBaseIds"), text(artifact.get("uriBaseId"))).get("uri"))
    if uri and base and not uri.startswith(("/", "file:")):
        uri = base.rstrip("/") + "/" + uri
    if uri.startswith("file:///") and uri[9:10] == ":":
        uri = uri.removeprefix("file:///")
    return plausible(uri)


def _without_index(artifact: Node) -> Node:
    bare = Node(artifact.line)
    bare.update({key: value for key, value in artifact.items() if key != "index"})
    return bare


def _related(result: Node, run: Node, others: list[tuple[Place, Node]]) -> Iterator[Related]:
    """The other locations, then the steps of the first code flow, which end at the error."""
    wheres = [where for _, where in others] + list(nodes(result.get("relatedLocations")))
    for flow in list(nodes(result.get("codeFlows")))[:1]:
        for thread in list(nodes(flow.get("threadFlows")))[:1]:
            wheres += [_node(step, "location") for step in nodes(thread.get("locations"))]
    for where in wheres[:_MAX_RELATED]:
        spot = _place(where, run)
        if spot.file:
            yield Related(file=spot.file, line=spot.line, column=spot.column, message=text(where.get("message")))


def _fix(result: Node) -> str | None:
    for fix in nodes(result.get("fixes")):
        words = text(fix.get("description"))
        new = [
            text(_node(r, "insertedContent"))
            for c in nodes(fix.get("artifactChanges"))
            for r in nodes(c.get("replacements"))
        ]
        return words or "\n".join(filter(None, new)) or None
    return None


def _node(node: Node, key: str) -> Node:
    value = node.get(key)
    return value if isinstance(value, Node) else Node(node.line)

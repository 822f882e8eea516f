"""Reads one YAML file as plain values with line numbers, following GitHub's rules for workflow files; hostile files are
refused.

Values are None, bool, float, str, `Items` and `SourceMapping`. Plain scalars follow YAML 1.2's core schema, as on
GitHub: `3.10` is the number 3.1, `yes` is a text. Anchors and aliases work, merge keys don't (GitHub refuses them too).
"""

import re
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

MAX_BYTES = 512 * 1024  # generated workflow files of large projects reach 200 kB
MAX_VALUES = 60_000  # after aliases are followed; a YAML bomb exceeds it
MAX_DEPTH = 60
# What ruamel.yaml raises, beside its own, on hostile tags, directives and characters.
HOSTILE = (YAMLError, ValueError, TypeError, AttributeError, LookupError, NotImplementedError, AssertionError)
NULL = ("", "~", "null", "Null", "NULL")
TRUE, FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
NUMBER = re.compile(r"[-+]?(?:\.[0-9]{1,300}|[0-9]{1,300}(?:\.[0-9]{0,300})?)(?:[eE][-+]?[0-9]{1,9})?\Z")
ODD_NUMBER = re.compile(r"0o[0-7]{1,60}\Z|0x[0-9a-fA-F]{1,60}\Z|[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")


class WorkflowError(Exception):
    """A workflow file that can't be read; the message says where and why."""


class TooMuchError(WorkflowError):
    """More jobs or steps than any real workflow has: the whole file is refused."""


class SourceMapping(dict[str, Any]):
    """A mapping with the 1-based line where it begins, and that of each key."""

    def __init__(self, line: int = 1) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


class Items(list[Any]):
    """A sequence with the 1-based line of each entry."""

    def __init__(self, line: int = 1) -> None:
        super().__init__()
        self.line = line
        self.lines: list[int] = []


def read_yaml(path: str, data: bytes) -> SourceMapping:
    """The mapping that the file contains. Raises WorkflowError, which names the file, the line and the reason."""
    if len(data) > MAX_BYTES:
        raise WorkflowError(f"{path} is not readable YAML: it is longer than {MAX_BYTES // 1024} KiB")
    try:
        node = YAML(typ="safe", pure=True).compose(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise WorkflowError(f"{path}:{line} is not readable YAML: it is not UTF-8 text") from error
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        why = ", ".join(str(part).splitlines()[0] for part in (error.context, error.problem) if part)
        raise WorkflowError(f"{path}:{mark.line + 1 if mark else 1} is not readable YAML: {why}") from error
    except RecursionError as error:
        raise WorkflowError(f"{path} is not readable YAML: it is nested too deeply") from error
    except HOSTILE as error:
        raise WorkflowError(f"{path} is not readable YAML: {(str(error) or type(error).__name__)[:200]}") from error
    value = _Reading(path).value(node, 0) if node is not None else None
    if not isinstance(value, SourceMapping):
        raise WorkflowError(f"{path}:1 is no mapping of keys to values")
    return value


class _Reading:
    """Converts YAML nodes to values and counts them; a node that an alias refers to counts each time."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.count = 0

    def value(self, node: Node, depth: int) -> Any:
        self.count += 1
        if self.count > MAX_VALUES or depth > MAX_DEPTH:
            what = f"nested deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else f"more than {MAX_VALUES} values"
            raise self.refusal(node, f"{what}, its aliases followed")
        if isinstance(node, ScalarNode):
            return scalar(str(node.value), plain=node.style is None and not str(node.tag).endswith(":str"))
        if isinstance(node, SequenceNode):
            items = Items(line_of(node))
            for entry in node.value:
                items.lines.append(line_of(entry))
                items.append(self.value(entry, depth + 1))
            return items
        assert isinstance(node, MappingNode)
        return self.block(node, depth)

    def block(self, node: MappingNode, depth: int) -> SourceMapping:
        block = SourceMapping(line_of(node))
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                raise self.refusal(key_node, "a key has to be a single word")
            key = str(key_node.value)
            if key == "<<" and key_node.style is None:
                raise self.refusal(key_node, "merge keys (<<) are not known to GitHub")
            if key in block:
                raise self.refusal(key_node, f"the key “{key[:100]}” stands there twice")
            block.lines[key] = line_of(key_node)
            block[key] = self.value(value_node, depth + 1)
        return block

    def refusal(self, node: Node, why: str) -> WorkflowError:
        return WorkflowError(f"{self.path}:{line_of(node)} is not readable YAML: {why}")


def line_of(node: Node) -> int:
    """The 1-based line where the node begins."""
    mark = node.start_mark
    return int(mark.line) + 1 if mark is not None else 1


def scalar(text: str, plain: bool) -> bool | float | str | None:
    """The value of a scalar; `plain`: it is not quoted."""
    if not plain:
        return text
    if text in NULL:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    if NUMBER.match(text):
        return float(text)
    if ODD_NUMBER.match(text):
        based = text[:2] in ("0o", "0x")
        return float(int(text[2:], 8 if text[1] == "o" else 16)) if based else float(text.replace(".", ""))
    return text


def block_of(path: str, parent: SourceMapping, key: str) -> SourceMapping:
    """The mapping under `key`, empty where there is none. Raises WorkflowError where the value is not a mapping."""
    value = parent.get(key)
    if value is None:
        return SourceMapping(parent.lines.get(key, parent.line))
    if not isinstance(value, SourceMapping):
        raise WorkflowError(f"{path}:{parent.lines.get(key, parent.line)}: `{key}` has to be a mapping")
    return value


def items_of(path: str, parent: SourceMapping, key: str) -> Items:
    """The list under `key`, empty where there is none. Raises WorkflowError where the value is not a list."""
    value = parent.get(key)
    if value is None:
        return Items(parent.lines.get(key, parent.line))
    if not isinstance(value, Items):
        raise WorkflowError(f"{path}:{parent.lines.get(key, parent.line)}: `{key}` has to be a list")
    return value

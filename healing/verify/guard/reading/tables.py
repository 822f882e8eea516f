"""Reads settings files as flat tables: dotted key → value, from TOML, JSON (with comments), YAML and INI."""

import configparser
import json
import re
import tomllib
import warnings
from collections.abc import Iterator
from io import StringIO

from healing.verify.guard.reading.text import BIG, plain

Table = dict[str, object]
MAX_DEPTH = 50  # levels of YAML
MAX_KEYS = 2_000  # more isn't a settings file, or it is a small text that expands into a huge one
STRING_OR_COMMENT = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\")|//[^\n]*|/\*(?:[^*]|\*(?!/)){0,500}\*/|,(?=\s*[}\]])")


class UnreadableTable(Exception):
    """Raised for a settings file that can't be read as a table."""


def table(path: str, data: bytes | None) -> Table:
    """The settings of a file. Raises UnreadableTable."""
    if data is None:
        return {}
    if len(data) > BIG:
        raise UnreadableTable(path)
    try:
        return dict(_flat(_loaded(path, plain(data)), ""))
    except (ValueError, RecursionError, configparser.Error) as error:
        raise UnreadableTable(path) from error


def _loaded(path: str, text: str) -> object:
    if path.endswith(".toml"):
        return tomllib.loads(text)
    if path.endswith((".yml", ".yaml")):
        return _yaml(text)
    if path.endswith((".json", ".jsonc", ".json5", "rc")) and text.lstrip().startswith("{"):
        return json.loads(STRING_OR_COMMENT.sub(lambda match: match[1] or "", text))
    if path.endswith((".ini", ".cfg", ".flake8", ".coveragerc", "pylintrc", ".bandit")):
        return _ini(text)
    raise ValueError("no table")


def _yaml(text: str) -> object:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    reader = YAML(typ="safe", pure=True)
    reader.max_depth = MAX_DEPTH
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a duplicate anchor doesn't matter here
            return reader.load(StringIO(text))
    except (YAMLError, AttributeError, TypeError, AssertionError, KeyError) as error:
        raise ValueError("no YAML") from error


def _ini(text: str) -> object:
    """The settings of an INI file; values with several lines or commas become lists."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    return {
        section: {
            key: [part.strip() for part in re.split(r"[,\n]", value) if part.strip()]
            if value and re.search(r"[,\n]", value)
            else _scalar(value)
            for key, value in parser.items(section)
        }
        for section in parser.sections()
    }


def _scalar(value: str | None) -> object:
    words = (value or "").strip()
    if words.lower() in ("true", "yes", "on", "false", "no"):
        return words.lower() in ("true", "yes", "on")
    return float(words) if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", words) else words


def _flat(value: object, prefix: str) -> Iterator[tuple[str, object]]:
    """The leaves with their dotted keys; lists are leaves too, as sorted tuples of text."""
    stack: list[tuple[str, object]] = [(prefix, value)]
    for _ in range(MAX_KEYS):
        if not stack:
            return
        key, item = stack.pop()
        if isinstance(item, dict):
            stack += [(f"{key}.{name}" if key else str(name), inner) for name, inner in item.items()]
        elif isinstance(item, list):
            if len(item) > MAX_KEYS:
                raise ValueError("too many")
            yield key, tuple(sorted(str(item)[:500] for item in item if not isinstance(item, dict | list)))
            stack += [(f"{key}[{index}]", item) for index, item in enumerate(item) if isinstance(item, dict | list)]
        else:
            yield key, item
    raise ValueError("too many keys")

"""docs/config.md and docs/heal.schema.json, made from the model: `python -m bot.repo_config.page` writes them."""

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from bot.repo_config import CONFIG_PATH, MAX_BYTES, RepoConfig, json_schema

Schema = dict[str, Any]
PAGE = Path(__file__).parents[2] / "docs" / "config.md"
SCHEMA = PAGE.with_name("heal.schema.json")
HEAD = f"""\
# `{CONFIG_PATH}`

<!-- Made from bot/repo_config/keys.py by `python -m bot.repo_config.page`; don't edit it here. -->

A repository's own settings. The file is optional, and so is every key: what isn't set has its default. The App reads
the file from the base branch only, so a pull request can't change what is run for it; on your own machine the file in
your working tree is used.

The file is checked strictly. An unknown key, a wrong type or a repeated key is reported with its line and the reason
(on the check run, and by `heal config check` on your machine), and Heal continues with the defaults. What the file
forbids still applies as far as it can be read: `never_touch`, `report_only`, `caps`, `skip`, `branches`, `generations`
and `fixup_pr`; if `never_touch` can't be read, no file is changed. The file is UTF-8, at most {MAX_BYTES >> 10} KiB.
Its JSON Schema is [heal.schema.json](heal.schema.json); `heal config schema` prints it. Editors with the YAML language
server validate and complete the file if its first line is `# yaml-language-server: $schema=PATH-OR-URL`.

Settings for all repositories are environment variables of the server: see [operating.md](operating.md).
"""


def page() -> str:
    """The whole page."""
    schema = json_schema()
    return HEAD + "".join(_key(name, schema, schema["$defs"]) for name in RepoConfig.model_fields)


def _key(name: str, whole: Schema, models: Schema) -> str:
    schema, shown = whole["properties"][name], [name, *whole["dependentRequired"].get(name, ())]
    example = f"```yaml\n{_yaml({key: whole['properties'][key]['examples'][0] for key in shown})}```\n"
    if "$ref" in schema:
        rows = _rows(models[schema["$ref"].rpartition("/")[2]])
        return f"\n## `{name}`\n\n{schema['description']} Its keys, none of them needed:\n\n{rows}\n{example}"
    most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
    parts = "".join(_keys_of(model, models) for model in _models(schema, models))
    return (
        f"\n## `{name}`\n\n{schema['description']}\n\nType: {_kind(schema)}{most}. Default: `{schema['default']}`.\n"
        f"{parts}\n{example}"
    )


def _kind(schema: Schema) -> str:
    """The type in words."""
    if "$ref" in schema:
        return _words(schema)
    if ways := schema.get("oneOf") or [way for way in schema.get("anyOf", ()) if way.get("type") != "null"]:
        return " or ".join(map(_kind, ways))
    if "enum" in schema:
        return " or ".join(f"`{value}`" for value in schema["enum"])
    if schema["type"] == "array":
        return f"a list, each entry {_kind(schema['items'])}"
    return {"string": "text", "integer": "a number", "number": "a number", "boolean": "`true` or `false`"}[
        schema["type"]
    ]


def _words(schema: Schema) -> str:
    """The name of a model as people say it: `a problem matcher`."""
    return "a " + re.sub(r"(?<=[a-z])(?=[A-Z])", " ", schema["$ref"].rpartition("/")[2]).lower()


def _models(schema: Schema, models: Schema) -> list[Schema]:
    """References to the models that an entry can be made of, the outer ones first."""
    if "$ref" in schema:
        inner = models[schema["$ref"].rpartition("/")[2]]["properties"].values()
        return [schema, *(one for part in inner for one in _models(part, models))]
    parts = [*schema.get("oneOf", ()), *([schema["items"]] if "items" in schema else [])]
    return [one for part in parts for one in _models(part, models)]


def _keys_of(model: Schema, models: Schema) -> str:
    found = models[model["$ref"].rpartition("/")[2]]
    return f"\nKeys of {_words(model)}:\n\n{_rows(found)}"


def _rows(model: Schema) -> str:
    """A line for each key."""
    needed = model.get("required", ())
    return "".join(
        f"- `{name}` ({_kind(key)}{', needed' if name in needed else _default(key)}): {key['description']}\n"
        for name, key in model["properties"].items()
    )


def _default(key: Schema) -> str:
    """The default where it says something."""
    value = key.get("default")
    return f", default `{value}`" if isinstance(value, (str, int, float)) and value else ""


def _yaml(value: Schema) -> str:
    text = StringIO()
    writer = YAML()
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.width = 200
    writer.dump(value, text)
    return text.getvalue()


if __name__ == "__main__":
    PAGE.write_text(page())
    SCHEMA.write_text(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n")

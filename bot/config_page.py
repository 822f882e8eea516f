"""docs/config.md, made from the model: `python -m bot.config_page` writes it."""

from pathlib import Path
from typing import Any

from bot.repo_config import CONFIG_PATH, MOST_BYTES, RepoConfig, json_schema

PAGE = Path(__file__).parents[1] / "docs" / "config.md"
HEAD = f"""\
# `{CONFIG_PATH}`

<!-- Made from bot/repo_config.py by `python -m bot.config_page`; don't edit it here. -->

What a repository tells Heal. No file is needed: without one, and without a key, the default holds. The App reads the
file from the base branch alone, so a pull request can't say what is run for it; on your own machine the one in your
working tree counts.

The file is strict. A key that is not below, a wrong type or a second use of a key is answered with line and reason (on
the check run's page, by `heal config check` on your machine), and the defaults go on. At most {MOST_BYTES >> 10} KiB of
UTF-8. `heal config schema` prints its JSON Schema for editors.

What the operator sets for all repositories are environment variables: see [operating.md](operating.md).
"""


def page() -> str:
    """The whole page."""
    properties: dict[str, Any] = json_schema()["properties"]
    return HEAD + "".join(_key(name, properties[name]) for name in RepoConfig.model_fields)


def _key(name: str, schema: dict[str, Any]) -> str:
    kind = f"a list of {schema['items']['type']}s" if schema["type"] == "array" else schema["type"]
    most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
    example = "\n".join(f"  - {entry}" for entry in schema["examples"][0])
    return (
        f"\n## `{name}`\n\n{schema['description']}\n\nType: {kind}{most}. Default: `{schema['default']}`.\n\n"
        f"```yaml\n{name}:\n{example}\n```\n"
    )


if __name__ == "__main__":
    PAGE.write_text(page())

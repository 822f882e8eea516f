"""The environment variables that Heal reads: settings that begin with `HEAL_`, and names defined by other tools."""

import os
from collections.abc import Mapping
from difflib import get_close_matches

from bot.settings import Settings
from healing.llm.providers import PROVIDERS
from healing.sandbox.indexes import OF_OPERATOR

PREFIX = "HEAL_"

# Names that are also used by other tools, each with its use in Heal. Heal reads only these and its own settings;
# docs/operating.md has the same list. Only those in SETTINGS are settings of Heal.
SETTINGS = {
    "DATABASE_URL": "the database, as hosts hand it to a program",
    "ANTHROPIC_API_KEY": "the key of Anthropic's models",
    "ANTHROPIC_BASE_URL": "the address of a gateway for Anthropic's models",
}
OF_PROVIDERS = {
    name: f"the {what} of the models of {provider.name}"
    for provider in PROVIDERS.values()
    if provider.key not in SETTINGS
    for name, what in ((provider.key, "key"), (f"{provider.name.upper()}_BASE_URL", "address"))
}
CONVENTIONS = {
    "ANTHROPIC_CUSTOM_HEADERS": "headers that Anthropic's library adds to each request, as a gateway may want",
    "DYNO": "the worker's name, where a host gives one",
    "OTEL_EXPORTER_OTLP_ENDPOINT": "where OpenTelemetry spans go",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "where OpenTelemetry spans go",
    "OTEL_SERVICE_NAME": "the service that spans name",
    "HOME": "a person's own folder",
    "PATH": "where programs of the system lie",
    "XDG_DATA_HOME": "the folder of a person's data, for the default of HEAL_DATA",
    "XDG_CONFIG_HOME": "a person's settings: Heal's own file, and git's list of ignored files",
    "VISUAL": "the editor of `heal review`",
    "EDITOR": "the editor of `heal review`",
    "NO_COLOR": "no colours on a terminal",
    "TERM": "what the terminal can show",
}
OF_INDEXES = dict.fromkeys(OF_OPERATOR, "package indexes, authorities and a proxy for set-up steps")
OF_OTHERS = {**SETTINGS, **OF_PROVIDERS, **CONVENTIONS, **OF_INDEXES}

# Read where the sandbox's user is chosen, in a layer that can't import `Settings`.
BESIDE_SETTINGS = ("HEAL_SANDBOX_UID",)


def known_settings() -> tuple[str, ...]:
    """Returns the names of all settings, as in the environment."""
    named = (str(field.alias) for field in Settings.model_fields.values())
    return tuple(sorted({*named, *BESIDE_SETTINGS}))


def unknown_settings(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Returns the variables that look like a setting of Heal but are none, each with the name that was probably meant
    (empty if no name is similar). Case matters: `heal_model` has no effect."""
    known = known_settings()
    wrong = (name for name in sorted(environ) if name.upper().startswith(PREFIX) and name not in known)
    return {name: next(iter(get_close_matches(name.upper(), known, n=1, cutoff=0.7)), "") for name in wrong}


def unknown_setting(name: str, near: str) -> str:
    """Returns the warning about such a variable."""
    meant = f"did you mean {near}?" if near else "docs/operating.md lists the settings."
    return f"{name} is set, but Heal has no such setting, so it has no effect; {meant}"

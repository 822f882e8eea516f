"""`.github/heal.yml`: what a repository tells Heal. Strict: a key that nobody honours is refused, with its line.

For the App it is read from the base branch, never from a pull request's own: what runs is not for strangers to say.
"""

from bot.repo_config.keys import RepoConfig, json_schema
from bot.repo_config.problems import ConfigProblem
from bot.repo_config.reading import ADVICE, MAX_BYTES, ReadConfig, read_repo_config
from healing.checks.rules import CONFIG_PATH

__all__ = [
    "ADVICE",
    "CONFIG_PATH",
    "MAX_BYTES",
    "ConfigProblem",
    "ReadConfig",
    "RepoConfig",
    "json_schema",
    "read_repo_config",
]

"""Quoting of names in URLs: githubkit inserts path parameters unquoted, so all of them are quoted here first."""

from urllib.parse import quote

from handlers.model import Refused


def segment(name: str) -> str:
    """Quotes one path segment (slashes too). Raises Refused for `.`, `..`, an empty name and control characters."""
    if name in ("", ".", "..") or any(ord(char) < 32 or ord(char) == 127 for char in name):
        raise Refused(400, f"{name!r} can't be part of an address; nothing was asked of GitHub")
    return quote(name, safe="")


def path(name: str) -> str:
    """Quotes several segments, such as a file's path or a branch with slashes. Raises Refused like `segment`."""
    return "/".join(segment(part) for part in name.split("/"))

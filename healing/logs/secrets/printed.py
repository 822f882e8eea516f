"""Secrets that stand in a line of their own, because the line before asked for them: `cat master.key`, `… get secret`.

Nothing in such a line names the value. What a command prints is a secret where the command itself speaks of one.
"""

import re

from healing.logs.secrets.mask import MASK, is_of_words, is_placeholder
from healing.logs.secrets.values import is_made, is_mixed, is_shown

_LONGEST_COMMAND = 400
_LINE = re.compile(
    r"(?P<head>\n(?:\d{4}-\d\d-\d\dT[\d:.]{8,20}Z )?)"
    r"(?P<word>[^\s\"'<>(){}\[\],;:|*#$-][^\s\"'<>(){}\[\],;:|]{7,512}+)(?=[ \t]*(?:\r?\n|\Z))"
)
_COMMAND = re.compile(r"(?:^|[\w\])~:/Z] ?|^.{0,40} )[$#%>+❯] ?(?P<command>[^\s#$>%+].{2,400})$")
_OF_A_SECRET = re.compile(
    r"secret|passw|passphrase|token|credential|api[_-]?key|\.key\b|[-_/]key\b|\bopenssl rand|genkey"
    r"|gen-key|pwgen|\bpass (?:show )?\w|unseal",
    re.IGNORECASE,
)
# What prints a secret alone: its value may be words.
_PRINTS_ONE = re.compile(
    r"-field[= ]|\bpass (?:show )?\w|\bop read|get-secret-value|find-(?:generic|internet)-password"
    r"|versions access|keyvault secret show"
    r"|output -raw|jsonpath|go-template|\bbw get|secret-tool lookup|/secrets?/|echo \$"
)
_OF_ANOTHER = re.compile(
    r"sum\b|\bmd5|digest|hash|fingerprint|rev-parse|\bgit (?!credential)|\bls\b|\bfind\b|\bgrep -l|which"
    r"|version|pubkey|public|pub\b|\.pub\b|whoami|describe|(?<!-)\b(?:id|name)\b|-name|--sha",
    re.IGNORECASE,
)
_CODES = re.compile(
    r"(?P<head>\b(?:backup|recovery|scratch|emergency|one[- ]time|2fa)[ _-](?:verification "
    r"|access )?codes?\b[^\n:=]{0,60}[:=]?)"
    r"(?P<codes>(?:[\s,;\"'\[\]|*•-]|\d{1,2}[.)](?=\s)|(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,8}){0,4}(?![\w:.@/])){2,120}+)",
    re.IGNORECASE,
)
_FOR_THE_LOST = ("backup", "recovery", "scratch", "emergency", "one-time", "one time", "2fa")
_CODE = re.compile(
    r"(?<![\w-])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,8}){1,4}(?![\w-])|(?<![\w-])(?=[a-z]{0,10}\d)[A-Za-z0-9]{8,12}(?![\w-])"
)


def mask_printed(text: str) -> str:
    """`text` without what commands printed that speak of secrets, and without codes for those who lost their key."""
    lowered = text.lower()
    if "code" in lowered and any(word in lowered for word in _FOR_THE_LOST):
        text = _CODES.sub(_codes, text)
    return _LINE.sub(_printed, text)


def _printed(match: re.Match[str]) -> str:
    word = match["word"]
    if not (is_made(word) or is_mixed(word)) or is_shown(word) or is_placeholder(word):
        return match[0]
    first = max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - _LONGEST_COMMAND)
    command = _COMMAND.search(match.string[first : match.start()].rstrip("\r"))
    if command is None or not _OF_A_SECRET.search(command["command"]) or _OF_ANOTHER.search(command["command"]):
        return match[0]
    if is_of_words(word) and not _PRINTS_ONE.search(command["command"]):
        return match[0]
    return match["head"] + MASK


def _codes(match: re.Match[str]) -> str:
    return match["head"] + _CODE.sub(MASK, match["codes"])

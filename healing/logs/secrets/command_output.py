"""Masks secrets that a command printed on a line of their own: `cat master.key`, `… get secret`.

Nothing on such a line names the value. It is taken for a secret where the command on the line before mentions one.
"""

import re

from healing.logs.secrets.mask import MASK, consists_of_words, is_placeholder
from healing.logs.secrets.values import is_machine_made, is_mixed, is_public

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
# Commands that print nothing but the secret: there even a value made of words is masked.
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
_CODE_KINDS = ("backup", "recovery", "scratch", "emergency", "one-time", "one time", "2fa")
_CODE = re.compile(
    r"(?<![\w-])[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,8}){1,4}(?![\w-])|(?<![\w-])(?=[a-z]{0,10}\d)[A-Za-z0-9]{8,12}(?![\w-])"
)


def mask_printed(text: str) -> str:
    """`text` without the output of commands that mention secrets, and without one-time and recovery codes."""
    lowered = text.lower()
    if "code" in lowered and any(kind in lowered for kind in _CODE_KINDS):
        text = _CODES.sub(lambda match: match["head"] + _CODE.sub(MASK, match["codes"]), text)
    return _LINE.sub(_mask_line, text)


def _mask_line(match: re.Match[str]) -> str:
    word = match["word"]
    if not (is_machine_made(word) or is_mixed(word)) or is_public(word) or is_placeholder(word):
        return match[0]
    first = max(match.string.rfind("\n", 0, match.start()) + 1, match.start() - _LONGEST_COMMAND)
    command = _COMMAND.search(match.string[first : match.start()].rstrip("\r"))
    if command is None or not _OF_A_SECRET.search(command["command"]) or _OF_ANOTHER.search(command["command"]):
        return match[0]
    if consists_of_words(word) and not _PRINTS_ONE.search(command["command"]):
        return match[0]
    return match["head"] + MASK

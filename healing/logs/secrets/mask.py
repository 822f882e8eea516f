"""The mask that replaces a secret, and what is no secret: placeholders, variables, and examples from manuals."""

import hashlib
import re

MASK = "***"

_PLACEHOLDER = re.compile(
    r"\*{2,}|\$|%[^0-9]|#\{|\{\{|<|\.{3}|x{2,}$|@{1,2}[\w.-]{1,60}@{1,2}$|![a-z/_]{1,20}$|0{6}|ENC[(\[]"
    r"|your|example|change|dummy|placeholder|redacted|insert|replace|enter[_-]|todo\b"
    r"|\[[a-z_ -]{3,20}\]?$|!!|[&*][a-z_]{1,40}$"
    r"|#[0-9a-f]{3,8}$|none$|null$|true$|false$|undefined|string|secret(?:str|bytes)$|required|optional|secrets\.|process\.env|os\.environ",
    re.IGNORECASE,
)
# A variable in braces, and a reference to a secret store: `{user}`, `op://vault/item`, `vault:secret/data/db#password`.
_REFERENCE = re.compile(
    r"\{[A-Za-z_]{1,24}\}$|[a-z][a-z0-9+-]{1,20}://(?![^\s/@]{0,200}@)|(?:vault|ref\+\w{1,20}|ssm):[/\w]"
    # A constant in a program, and a PowerShell command.
    r"|[A-Z]{2,}(?:_[A-Z]{2,}){2,}$|(?:Read|Get|New|ConvertTo|ConvertFrom|Import)-[A-Z][A-Za-z]{2,40}$"
    r"|(?:[A-Z]?(?P<one>[A-Za-z0-9])(?P=one){2,}(?:[-/]|$))+$"  # one repeated character: `XXX/YYY/ZZZ`
    r"|[\^~=v<>]{0,2}\d{1,4}\.\d{1,4}(?:\.[\dx]{1,6}){1,2}(?:[-+.]\w{1,12})?$|arn:aws:|projects/[\w-]{1,60}/secrets/|@Microsoft\.KeyVault\("
    r"|Ag[A-D][\w+/]{100,8000}={0,2}$"  # what Sealed Secrets encrypted for a cluster
)
_INSIDE = re.compile(
    r"(?i:x{6})|\*{4}|\.{3}|EXAMPLE|(?<![A-Za-z])(?i:example)|[_-](?i:here)$|\$\{|\{\{"
    r"|(?i:(?<![a-z])not[-_]an?[-_](?:real|secret|valid|token|key|password))"
    r"|[_. -](?i:your|fake|dummy|sample|placeholder|insert|replace|redacted|changeme)"
)
_MAX_LENGTH = 120  # characters of a placeholder; longer text contains such words by chance
# Words that manuals, tests and local containers use as passwords. Alone or joined they are no secret, also with a digit
# or a sequence behind them. Any other number was added by a person who wanted a password: `mypass99`.
_COMMON = re.compile(
    r"(?:(?:a|an|the|my|your|our|this|is|not|no|for|with|to|of|and|me|it"
    r"|password|passwd|passphrase|pass|pw|pwd|secrets?|token|key|apikey|api|access|oauth2?|auth|bearer|jwt|client|session"
    r"|credentials?|user|username|usr|name|email|login|account|value|val|string|here|goes"
    r"|test|tests|testing|tester|dummy|fake|mock|mocked|stub|foo|bar|baz|qux|example|sample|demo|default|some|any"
    r"|oracle|different|wrong|bad|incorrect|invalid|correct|valid|real|new|old|other|another|whatever|something|anything|nothing"
    r"|guest|root|postgres|postgresql|mysql|mariadb|mongo|redis|rabbitmq|minio|admin|administrator|database|db|server"
    r"|service|app|local|localhost|dev|development|ci|super|top|very|hello|world|android|letmein|encryption|signing|private|public|webhook|hidden|masked|unused|change|set"
    r"|insert|enter|replace|todo|none|empty|abc|xyz)[-_. ]?){1,8}(?:0?\d|123?4?5?6?7?8?9?0?|256)?$"
    r"|p[a@4][s$5]{2}w[o0]rd[123!]{0,4}$",
    re.IGNORECASE,
)
_SEQUENCE = re.compile(r"(?:a(?:bc(?:d(?:ef?)?)?)?)?[-_]?(?:123(?:4(?:5(?:6(?:7(?:8(?:90?)?)?)?)?)?)?)?$")
_MAX_COMMON = 40
# A name consists of words, and besides them only of numbers and short parts: `TestPasswordV2Reset`, `X-Till-Token-V2`,
# `token_bucket-0.3.0-py3-none-any.whl`.
_OF_WORDS = re.compile(
    r"(?:(?:(?:[A-Z]?[a-z]{3,}+|[A-Z]{2,}+(?![a-z])|[A-Z]?\d{1,2}+)++|[A-Za-z]{1,2}\d{0,3}|\d{1,4})(?:[-_./:@]{1,3}|$))++$"
)
_WORD = re.compile(r"[A-Za-z][a-z]{2,}|[A-Z]{3,}")
# Capital letters between digits: `0ETMQKCPIGLEA9B6PEPS` has no words, though its runs of letters are long enough.
_CAPITAL_CODE = re.compile(r"(?:[A-Z]{2,8}-)?(?=[A-Z]{0,15}\d{1,15}[A-Z]{1,15}\d)[A-Z0-9]{16,}$")
_DIGEST = re.compile(r"(?:[0-9a-f]{7,128}|sha\d{3}[:-][\w+/=]{20,100})$")
_OF_A_DIGEST = re.compile(r"sha\d{0,3}(?![a-z])|hash(?!ic)|checksum|digest|fingerprint|md5|etag", re.IGNORECASE)
# The state or the source of a password.
_STATE = re.compile(
    r"(?:un|not )?(?:changed|enabled|disabled|set|encrypted|hidden|masked|provided|expired|correct"
    r"|present|protected)$|anonymous$|mandatory$|prompt(?:ed)?$"
    r"|interactive$|keyring$|keychain$|external$|auto(?:matic)?$|(?:auto)?generated?$|random$|inherit(?:ed)?$|managed$|missing$|incorrect$|plain(?:text)?$"
    r"|bcrypt$|argon2(?:id?)?$|scrypt$|pbkdf2$|scram-sha-\d+$|stdin$|environment$|passwor[dt]$|optional$",
    re.IGNORECASE,
)
# The first half of the SHA-256 of published examples, so that no scanner reports this file as a leak.
_PUBLISHED = {
    "bc3ae723f57c6b9e3fd80b699fcc420f": "GitHub's manual: the token of an OAuth app",
    "7f75367e7881255134e1375e723d1dea": "jwt.io",
    "da816f9f2c16e6c5390e7636cadc40c4": "jwt.io, earlier",
    "52d33e4911386f2d3783c975b45a21da": "jwt.io, signed with the word secret",
    "8d4ef6536dc8895f256c1e0d95dcd197": "RFC 7519, section 3.1",
    "cf4d418ed3de92d71f767db5391d5a2d": "RFC 7617",
    "2cafc0970149a84f3b9e62eaf169f36f": "Stripe's manual",
    "f2d6ca16515033e5dce14eba840b979d": "Stripe's manual, earlier",
    "0011cc25eb4320717494d2703e8cba85": "Azurite",
    "71cc74055af57b853eea6096f4792015": "the emulator of Cosmos DB",
    "60a09e4357868c1e9b801052726d061c": "the first account of Hardhat and Anvil",
}


def encodable(text: str) -> str:
    """`text` as RE2 accepts it, with the same number of characters: each surrogate becomes `?`."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def masked_value(match: re.Match[str]) -> str:
    """The match with its group `word` masked, unless that is a placeholder. Its group `head` is what comes before."""
    return match[0] if is_placeholder(match["word"]) else match["head"] + MASK


def is_placeholder(word: str) -> bool:
    """Whether `word` marks where a secret belongs instead of being one."""
    if word.endswith(":latest") or (len(word) <= _MAX_COMMON and _STATE.match(word)):
        return True
    return (
        bool(_PLACEHOLDER.match(word) or _REFERENCE.match(word))
        or consists_of_example_words(word)
        or is_example_token(word)
    )


def consists_of_example_words(word: str) -> bool:
    """Whether `word` consists of what manuals and tests use for a password: `wrong-password`, `secret123`."""
    return len(word) <= _MAX_COMMON and bool(_COMMON.match(word.lstrip("-?=")) or _SEQUENCE.match(word))


def is_example_token(token: str) -> bool:
    """Whether a token is an example from a manual: `ghp_xxxxxxxx`, `AKIA…EXAMPLE`, `wJalr…`."""
    if len(token) <= _MAX_LENGTH and _INSIDE.search(token):
        return True
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()[:32] in _PUBLISHED


def consists_of_words(word: str) -> bool:
    """Whether `word` is a name that a person chose: at least half of it is words, and no other part is that long."""
    if _CAPITAL_CODE.match(word):
        return False
    return bool(_OF_WORDS.match(word)) and 2 * sum(map(len, _WORD.findall(word))) >= len(word)


def is_digest(word: str, named: str) -> bool:
    """Whether `word` has the form of a digest and `named`, such as `checksum/secret` or `hashed_token`, says so."""
    return bool(_DIGEST.match(word) and _OF_A_DIGEST.search(named))

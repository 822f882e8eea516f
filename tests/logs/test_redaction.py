"""Secrets are masked, code is not."""

import base64
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from healing.logs.lines import clean
from healing.logs.reading import read_log
from healing.logs.redaction import MASK, redact, redact_bytes

# Put together here so that no scanner takes this file for a leak.
WORD = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3gH5"
SECRETS = [
    "ghp_" + WORD,
    "ghs_" + "aB3dE5gH7j" * 52,
    "ghs_" + "eyJ" + WORD + "." + "eyJ" + WORD + "." + WORD,
    "github_pat_" + "11ABCDEFG0" + WORD,
    "AKIA" + "Q3EGRZ7MPLT2WXYA",
    "xoxb-" + "123456789012-1234567890123-" + WORD[:24],
    "sk-ant-api03-" + WORD * 2,
    "sk-proj-" + WORD,
    "npm_" + WORD,
    "pypi-" + "AgEIcHlwaS5vcmc" + WORD * 2,
    "glpat-" + WORD[:20],
    "eyJ" + "hbGciOiJIUzI1NiJ9" + "." + "eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + "." + WORD,
    "AIza" + (WORD * 2)[:35],
    "glrt-" + WORD[:24],
    "ASIA" + "Q3EGRZ7MPLT2WXYA",
    "abc8Q~" + (WORD * 2)[:34],
    "sk_live_" + WORD[:24],
    "sgp_" + "9bea5fb6370f0a6e01bc" * 2,
    "hvs." + WORD,
    "dckr_pat_" + WORD[:27],
    "AGPA" + "Q3EGRZ7MPLT2WX09",
    "A3T" + "X9Q3EGRZ7MPLT2WXY",
    "vca_" + WORD[:20],
    "shpat_" + WORD[:34],
    "lin_api_" + WORD[:20] + "_" + WORD[:20],
    "npm_" + WORD[:17] + "_" + WORD[:18],
    "dapi" + "9BEA5FB6370F0A6E" * 2,
    "A3-" + "QW3ERT-7YUIOP-AS5DF-GH9JK-ZXC2V-BN4MQ",
    "SG." + WORD[:22] + "." + (WORD * 2)[:43],
    "$2b$12$" + (WORD * 2)[:53],
    "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + "b3BlbnNzaC1rZXk\n" * 5 + "-----END OPENSSH PRIVATE " + "KEY-----",
]
NAMED = [
    ("password=hunter2!", "hunter2"),
    ("DB_PASSWORD=correcthorsebattery", "correcthorse"),
    ('"client_secret": "q8-Zk2.pp"', "q8-Zk2"),
    ("Authorization: Bearer abcdef.0123456789", "0123456789"),
    ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpw"),
    ("postgres://heal:s3cr3t-word@db.example/heal", "s3cr3t"),
    ("https://user:pa55word@example.com/simple", "pa55word"),
    ("--token s3cr3tt0ken", "s3cr3tt0ken"),
    ("<password>s3cr3tword</password>", "s3cr3tword"),
    ("api_key: 9f8e7d6c5b4a39281706", "9f8e7d6c"),
    ('secretKey "H5l@N8!9p#Yq"', "H5l@N8"),
    ('password = nexusPassword ?: "L7T@p6X1#9!Fq3R4z"', "L7T@p6X1"),
    ('os.environ.get("API_TOKEN", "f00dbeefcafe1234")', "f00dbeef"),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey=q8Zk2pp9LmN4+/==;", "q8Zk2pp9"),
    ("curl -u heal:s3cr3tw0rd https://example.com", "s3cr3tw0rd"),
    ("Cookie: session=abcdef0123456789", "abcdef0123"),
    ("https://a.blob.example/c?sv=1&sig=" + WORD, WORD),
    ("ftp://me:p@ss:w0rd@example.com/x", "w0rd"),
    ("kind: Secret\ndata:\n  extra: YWRtaW46cGFzc3dvcmQ=\ntype: Opaque\n", "YWRtaW46"),
]
PLAIN = [
    "HEAD is now at 1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d Merge",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "password = get_password()",
    "self.token = token",
    "def login(user: str, password: str) -> Token:",
    "token: str | None = None",
    "AUTH_TOKEN: ***",
    "PASSWORD=${{ secrets.PASSWORD }}",
    "tests/test_token.py::test_token_is_refreshed FAILED",
    "assert response.token == expected_token",
    "key = cache[hash_value]",
    "git@github.com:owner/repository.git",
    "https://example.com/a:b/c@v2",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
    "reset_token.rb:7: Operations::Password::RequestResetToken has no descriptive comment",
    "Plugin$$anonfun$rawScalastyleSettings$1$$anonfun$apply$1$$anonfun$apply$2.apply(Plugin.scala:89)",
    "SyntaxError: Unexpected token 'return'",
    '<password>{{ getenv "DOWNLOAD_KEY" }}</password>',
    "https://user:${TOKEN}@example.com",
    "secret='ghp_" + "x" * 36 + "'",
    "npm_package_dependencies_babel_core7_x=1",
    "-----BEGIN PRIVATE KEY-----\nREPLACE ME\n-----END PRIVATE KEY-----",
    "error: expected -----BEGIN PRIVATE KEY----- at the start, found something else",
]


# EX-6
@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:12])
@pytest.mark.parametrize("around", ["{}", "value {} end", "KEY='{}'", "https://x:{}@example.com", "日{}本"])
def test_a_token_is_masked_wherever_it_stands(secret: str, around: str) -> None:
    assert secret not in redact(around.format(secret))


# EX-6
@pytest.mark.parametrize(("text", "secret"), NAMED)
def test_what_is_named_a_secret_is_masked(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert MASK in redact(text)


# EX-6
@pytest.mark.parametrize("text", PLAIN)
def test_code_and_hashes_stay_readable(text: str) -> None:
    assert redact(text) == text


# EX-6
@given(st.text(max_size=300), st.sampled_from(SECRETS), st.text(max_size=50))
def test_masking_twice_changes_nothing_more(before: str, secret: str, after: str) -> None:
    once = redact(f"{before} {secret} {after}")
    assert secret not in once
    assert redact(once) == once


# EX-6
@pytest.mark.parametrize(
    "secret", [SECRETS[0], "DB_PASSWORD=correcthorsebattery\nDB_NAME=heal-of-the-people\n", SECRETS[-1]]
)
@pytest.mark.parametrize("times", [1, 2])
def test_a_secret_that_was_encoded_before_it_was_printed_is_masked(secret: str, times: int) -> None:
    encoded = f"a line before it\n{secret}".encode()
    for _ in range(times):
        encoded = base64.b64encode(encoded)
    assert redact(f"config: {encoded.decode()} end") == f"config: {MASK} end"


# EX-6
def test_a_key_that_the_log_cuts_off_is_masked_as_far_as_it_goes() -> None:
    head = "-----BEGIN RSA PRIVATE " + "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00FF\n\n"
    assert redact(head + "MIIEvQIBADANBgkqhkiG9w0B\n" * 9) == MASK + "\n"


# EX-6
def test_what_a_removed_line_of_a_diff_shows_of_a_key_is_masked() -> None:
    key = SECRETS[-1].replace("\n", "\n-")
    assert redact(f"-{key}\n next") == f"-{MASK}\n next"


# EX-6
@pytest.mark.parametrize(
    "unit",
    [
        *("password", "api_key", '"token" : ', "://a:", "--token ", "$1$", "eyJaaaaaaaa.", "A" * 40, "://h/hooks/"),
        *("password {", "curl -b ", "a:1234:b:c:", "<name>password</name>", "testpasswordfoo", "kv put ", "X-Api-"),
        *("token,", "password|x\n"),
    ],
)
def test_a_line_of_a_megabyte_takes_seconds_and_no_more(unit: str) -> None:
    began = time.process_time()
    redact(unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 8


@given(st.binary(max_size=300))
def test_bytes_without_a_secret_come_back_as_they_were(data: bytes) -> None:
    assert redact_bytes(b"\xff" + bytes(b % 32 for b in data)) == b"\xff" + bytes(b % 32 for b in data)


# EX-6
@pytest.mark.parametrize("secret", [SECRETS[0], SECRETS[-1]])
def test_a_secret_among_bytes_that_are_no_utf8_is_masked_and_they_stay(secret: str) -> None:
    assert redact_bytes(b"\xff caf\xe9 " + secret.encode() + b" \xfe\n") == b"\xff caf\xe9 *** \xfe\n"


# EX-6
@pytest.mark.parametrize("colour", ["\x1b[31m", "\x1b[0m", "\x1b]8;;x\x07", "\0"])
def test_a_secret_that_colours_take_apart_is_masked_once_they_are_gone(colour: str) -> None:
    secret = SECRETS[0]
    raw = f"2026-01-05T10:00:00.1234567Z {secret[:9]}{colour}{secret[9:]} end\n"
    assert redact(clean(raw.encode())) == f"{MASK} end\n"


# EX-6
def test_no_field_of_an_error_carries_a_secret() -> None:
    secret = SECRETS[0]
    log = (
        f"=== FAILURES ===\n___ test_a[{secret}] ___\n"
        f"    def test_a():\n>       assert '{secret}' == 'x {secret}'\n"
        f"E       AssertionError: assert '{secret}' == 'x {secret}'\n\nt.py:3: AssertionError\n"
        f"=== short test summary info ===\nFAILED t.py::test_a[{secret}] - assert\n=== 1 failed in 0.10s ===\n"
        f"a.py:3: error: bad {secret}  [misc]\na.py:3: note: see {secret}\n"
        f"::error file=a.txt,title={secret}::{secret}\n"
    )
    report = read_log(log.encode())
    assert len(report.errors) == 3
    assert all(secret not in error.model_dump_json() for error in report.errors)

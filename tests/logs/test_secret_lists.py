"""The two rates of the redaction, on lists by kind: secrets that stay readable, look-alikes that are masked."""

import pytest

from healing.logs.redaction import MASK, redact
from tests.logs.secrets import Listed, listed

SECRETS = ("unseen_1", "unseen_2", "unseen_3", "unseen_4", "unseen_5")
LOOKALIKES = ("lookalikes_1", "lookalikes_2", "lookalikes_3", "lookalikes_4", "lookalikes_5")


def leaks(entry: Listed) -> bool:
    """Whether one of the secrets can be read still, or the redaction took the lines beside it away."""
    masked = redact(entry.text)
    lines_stay = masked.startswith("before\n") and masked.endswith("\nafter\n")
    return not lines_stay or any(secret in masked for secret in entry.secrets)


# EX-13
@pytest.mark.parametrize("name", SECRETS)
def test_at_most_three_of_a_hundred_listed_secrets_stay_readable(name: str) -> None:
    entries = list(listed(name))
    readable = [entry.text for entry in entries if leaks(entry)]
    assert len(entries) >= 40
    assert all(entry.secrets for entry in entries)
    assert len(readable) <= 0.03 * len(entries) + 0.5, readable


# EX-13
@pytest.mark.parametrize("name", LOOKALIKES)
def test_at_most_five_of_a_hundred_listed_look_alikes_are_masked(name: str) -> None:
    entries = list(listed(name))
    masked = [entry.text for entry in entries if redact(entry.text) != entry.text]
    assert len(entries) >= 40
    assert len(masked) <= 0.05 * len(entries), masked


# EX-13
@pytest.mark.parametrize("password", ["user:pass", "me:changeme"])
def test_a_common_password_is_masked_in_the_address_of_another_machine(password: str) -> None:
    assert redact(f"https://{password}@git.example.com/o/r") == f"https://{MASK}:{MASK}@git.example.com/o/r"
    assert redact(f"http://{password}@localhost:8080/") == f"http://{password}@localhost:8080/"


# EX-13
def test_a_key_that_is_reported_as_an_example_stays_and_the_same_key_without_that_word_does_not() -> None:
    body = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n" * 3
    key = f"-----BEGIN OPENSSH PRIVATE {'KEY'}-----\n{body}-----END OPENSSH PRIVATE KEY-----\n"
    output = f"# This key was generated for example purposes only\n{key}"
    assert redact(output) == output
    assert redact(f"# deploys the example\n{key}") == f"# deploys the example\n{MASK}\n"

"""What a person is told to do with fixes: only what does something there."""

import pytest

from handlers.comments import answers, sticky, suggestion
from handlers.comments.parts import how_to
from handlers.comments.taking import Reach, to_do
from handlers.model import ProposalStatus, StoredProposal
from tests.handlers.test_texts import ERRORS, FIX, SHA, STORED

ON_BRANCH, ON_FORK, ON_MAIN = Reach(True, True), Reach(True, False), Reach(False, False)
OTHER = FIX.model_copy(update={"id": "b7d1f0c2"})


# GH-2
@pytest.mark.parametrize(
    ("offered", "reach", "text"),
    [
        ({FIX.id: "suggestion"}, ON_BRANCH,
         "Commit the suggestion, or comment `/heal apply a2a4c471` on the pull request. `/heal reject a2a4c471` drops "
         "it."),
        ({FIX.id: "suggestion", OTHER.id: "suggestion"}, ON_BRANCH,
         "Commit the suggestions you want, or comment `/heal apply all` on the pull request. `/heal reject <id>` drops "
         "a fix."),
        ({FIX.id: "fixup", OTHER.id: "fixup"}, ON_BRANCH,
         "Merge the fixup pull request, or comment `/heal apply all` on the original pull request. `/heal reject <id>` "
         "drops a fix."),
        ({FIX.id: "suggestion", OTHER.id: "patch"}, ON_FORK,
         "Commit the suggestion or apply the patch in the summary comment. `/heal reject <id>` drops a fix."),
        ({FIX.id: "fixup"}, ON_MAIN, "Merge the fixup pull request."),
        ({FIX.id: "not offered in trial mode"}, ON_BRANCH, ""),
        ({}, ON_BRANCH, ""),
    ],
)  # fmt: skip
def test_a_person_is_told_to_do_what_is_possible_with_the_fixes_as_they_are_offered(
    offered: dict[str, str], reach: Reach, text: str
) -> None:
    assert to_do((FIX, OTHER), offered, reach) == text


# GH-2
@pytest.mark.parametrize(
    ("status", "commands"),
    [
        ("offered", ["apply", "reject"]),
        ("muted", ["apply", "reject"]),
        ("outdated", ["apply", "reject"]),
        ("rejected", ["apply"]),
        ("applied", ["rollback"]),
        ("rolled-back", ["retry"]),
    ],
)
def test_a_fix_is_shown_with_the_commands_that_its_status_allows(status: ProposalStatus, commands: list[str]) -> None:
    words = [word for word in ("apply", "reject", "rollback", "retry") if f"/heal {word}" in how_to(FIX, status)]
    assert words == commands


# GH-2, GH-9
def test_on_a_fork_no_text_names_a_command_that_would_push() -> None:
    texts = (
        sticky.sticky(SHA, (STORED,), is_fork=True),
        suggestion.suggestion(FIX, 1, 2, "import math\n", ERRORS, can_push=False),
        suggestion.review("fast", SHA, ""),
        sticky.patch(FIX.id, "+" * 20_001, can_apply=False),
    )
    for text in texts:
        assert not any(f"/heal {word}" in text for word in ("apply", "rollback", "pr"))


# UX-3
def test_a_list_that_is_cut_says_how_many_more_there_are() -> None:
    many = tuple(_numbered(number) for number in range(120))
    assert "… and 70 more: `/heal list` shows them." in sticky.sticky(SHA, many)
    assert "… and 20 more." in answers.proposal_list(many)
    for text in (sticky.sticky(SHA, many[:50]), answers.proposal_list(many[:100])):
        assert "more" not in text.partition("</sub>")[0].replace("`/heal help`", "")


def _numbered(number: int) -> StoredProposal:
    return STORED.model_copy(update={"proposal": FIX.model_copy(update={"id": f"{number:08x}"})})

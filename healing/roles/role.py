"""What a file of a repository is there for, as far as a proof is concerned."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """`JUDGE` decides what is run and how it is counted; `DATA` is what tests compare with or load."""

    PRODUCT = "product"
    TESTS = "tests"
    JUDGE = "judge"
    DATA = "test data"
    DOCS = "docs"
    GENERATED = "generated"


WORDS = {
    Role.PRODUCT: "is source of the product",
    Role.TESTS: "belongs to the tests",
    Role.JUDGE: "decides what is run, or how it is counted",
    Role.DATA: "is data of the tests",
    Role.DOCS: "is documentation",
    Role.GENERATED: "is generated, or comes from elsewhere",
}


@dataclass(frozen=True)
class Judged:
    """A file's role, and what shows it: a sentence that goes on after the file's name."""

    role: Role
    why: str

    def __str__(self) -> str:
        return f"{WORDS[self.role]}: {self.why}"

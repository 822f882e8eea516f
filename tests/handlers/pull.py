"""The pull request of the conversation tests, and two fixes of it."""

from handlers.events import Person
from healing.model import Edit, Proposal
from tests.handlers.world import MemoryWorld

BASE = {"calc.py": b"def area(r):\n    return 3 * r * r\n", "run.sh": b"false\n"}
HEAD = {"calc.py": b"def area(r):\n    return math.pi * r * r\n", "run.sh": b"false\n"}
EVE = Person(login="eve", id=2)
STICKY = "<!-- heal:v1 sticky -->"


def fix_of(world: MemoryWorld, **fields: object) -> Proposal:
    edit = Edit(file="calc.py", old_string="def area(r):\n", new_string="import math\n\n\ndef area(r):\n")
    return world.proposal(edit, **fields)


def far_fix_of(world: MemoryWorld, **fields: object) -> Proposal:
    """In a file that the pull request doesn't touch."""
    return world.proposal(Edit(file="run.sh", old_string="false", new_string="true"), title="Run", **fields)

"""Detects from a command's output what its environment lacks; such a failure is no evidence about the code.

Covers a missing program, interpreter or third-party module, a version that is too old, and a service or network that is
not available. Each finding comes with a remedy, as a line that a person would type.
"""

from healing.checks.missing.manifests import can_be_installed
from healing.checks.missing.modules import missing_node_module, missing_python_module
from healing.checks.missing.network import missing_network
from healing.checks.missing.output_patterns import missing_by_output
from healing.checks.missing.programs import MAKE_ABSENT, NOT_FOUND, missing_program
from healing.checks.missing.pytest_plugins import missing_pytest_plugin
from healing.checks.missing.values import REPRODUCE, WHERE_HEAL_RUNS, FailureContext, MissingRequirement

__all__ = [
    "MAKE_ABSENT", "NOT_FOUND", "REPRODUCE", "WHERE_HEAL_RUNS", "FailureContext", "MissingRequirement",
    "can_be_installed", "find_missing",
]  # fmt: skip


def find_missing(exit_code: int | None, output: str, context: FailureContext) -> MissingRequirement | None:
    """What is missing, where that is why the command failed; None where the cause may be the code.

    Where the command passes on the base, the environment has everything that the base needs: only what the change newly
    needs and declares can be missing.
    """
    return (
        _file_of_clone(output, context)
        or missing_network(output, context)
        or missing_program(exit_code, output, context)
        or missing_python_module(output, context)
        or missing_pytest_plugin(output, context)
        or missing_node_module(output, context)
        or missing_by_output(output, context)
        or _file_of_home(output, context)
    )


def _file_of_clone(output: str, context: FailureContext) -> MissingRequirement | None:
    path = "" if context.passes_on_base else context.left_out(output, context.view.paths())
    why = f"its output names {path} of your clone, which git ignores and checks don't see"
    return MissingRequirement(why, "keep it in the repository") if path else None


def _file_of_home(output: str, context: FailureContext) -> MissingRequirement | None:
    path = "" if context.passes_on_base or context.breaks_tests else context.unseen(output)
    why = f"its output names {path}, and checks don't see that part of your home"
    advice = "keep what the command needs of it in the repository, or name it by a variable that tools use"
    return MissingRequirement(why, advice) if path else None

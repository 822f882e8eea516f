"""ansible-lint (all its forms) and Ansible's own playbook runs."""

import re
from collections.abc import Iterable
from dataclasses import replace

from healing.logs.format import Finding, Format, at_line
from healing.logs.lines import Line
from healing.logs.paths import Paths
from healing.logs.shapes import Row, RowPair, ShapeReader
from healing.model import Category

_FILE = r"(?P<file>[^\s:][^:\n]{0,300}\.ya?ml|[^\s:][^:\s]{0,300})"
_YAML = r"(?P<file>[^\s:][^:\s]{0,300}\.ya?ml)"
_RULE = r"(?P<code>[a-z]+(?:-[a-z0-9]+)*(?:\[[\w-]{1,60}\])|[a-z]{2,20}(?:-[a-z0-9]{1,20}){1,5}|E?\d{3})"
_AT = r"(?P<line>\d{1,7})(?::(?P<column>\d{1,6}))?"

_TASK = re.compile(r"(?:TASK|PLAY|RUNNING HANDLER) \[")
_IGNORED = "...ignoring"
_RECAP = re.compile(
    r"\S{1,200}\s{1,80}: ok=\d{1,9}\s.{0,200}\bunreachable=(?P<unreachable>\d{1,9})\s{1,8}failed=(?P<failed>\d{1,9})"
)
_HELD = 1_000  # findings
_SHAPES = (
    RowPair(
        tool="ansible-lint",
        first=re.compile(rf"(?:{_RULE}: |\[{_RULE.replace('code', 'number')}\] )(?P<message>\S.{{0,600}})$"),
        then=re.compile(rf"{_FILE}:{_AT}(?: .{{0,400}})?$"),
        reach=1,
    ),
    Row(
        tool="ansible-lint",
        line=re.compile(rf"{_YAML}:{_AT}: \[?{_RULE}(?:\]:?|:) (?:\[[A-Z_]{{2,12}}\] )?(?P<message>\S.{{0,600}})$"),
    ),
    RowPair(
        tool="ansible",
        category=Category.RUNTIME,
        first=re.compile(
            r"(?:fatal|failed): \[[^\]]{1,200}\](?: \(item=.{0,300}?\))?: (?:FAILED|UNREACHABLE)! => "
            r"(?:.{0,4000}?\"msg\": \"(?P<message>(?:[^\"\\]|\\.){1,1000})\"|.{0,4000}$)"
        ),
        between=(re.compile(r"\s{1,8}\"?msg\"?: (?:[|>]-?$|\"?(?P<message>[^\"|>].{0,1000}?)\"?,?$)"),),
        then=re.compile(r"(?P<never>\.\.\.ignoring)$"),
        stop=re.compile(r"TASK \[|PLAY |RUNNING HANDLER|(?:ok|changed|skipping|fatal|failed): \["),
        reach=30,
        alone=True,
    ),
    RowPair(
        tool="ansible",
        category=Category.SYNTAX,
        first=re.compile(r"(?:ERROR! |\[ERROR\]: )(?P<message>\S.{0,1000})$"),
        then=re.compile(
            r"(?:The error appears to be in '|Origin: )(?P<file>[^':]{1,400})'?:(?: line )?(?P<line>\d{1,7})"
            r"(?:, column |:)(?P<column>\d{1,6})"
        ),
        reach=12,
        alone=True,
    ),
)


class _Playbooks:
    """Holds the failures of a playbook's run until it is known whether they failed it: a task may ignore its failure,
    or a `rescue` handle it."""

    def __init__(self, _paths: Paths) -> None:
        self._rows = ShapeReader(_SHAPES)
        self._task: list[Finding] = []
        self._run: list[Finding] = []
        self._hosts: list[bool] = []  # whether each host of the recap is well

    @property
    def busy(self) -> bool:
        return self._rows.busy

    def read(self, line: Line) -> Iterable[Finding]:
        findings = list(self._rows.read(line))
        done = [finding for finding in findings if finding.tool != "ansible"]
        for finding in findings:
            if finding.tool == "ansible":
                self._task.append(_silent(finding) if self._is_known(finding) else finding)
        if line.text == _IGNORED:
            self._task = [_silent(finding) for finding in self._task]
        elif _TASK.match(line.text) or len(self._task) > _HELD:
            self._run, self._task = self._run + self._task, []
            if self._hosts or len(self._run) > _HELD:  # the next run
                done += self._settle()
        elif recap := _RECAP.match(line.text):
            self._hosts.append(not int(recap["unreachable"]) and not int(recap["failed"]))
        return done

    def close(self) -> Iterable[Finding]:
        """What was held, and the last row."""
        self._run += [*self._task, *self._rows.close()]
        self._task = []
        return self._settle()

    def _is_known(self, finding: Finding) -> bool:
        """Whether an `[ERROR]` of the same task, which has the place, gives the same reason."""
        reasons = (other.message.rpartition("failed: ")[2] for other in self._task if other.file and other.message)
        return not finding.file and any(finding.message.startswith(reason) for reason in reasons)

    def _settle(self) -> list[Finding]:
        findings, self._run = self._run, []
        passed, self._hosts = all(self._hosts or [False]), []
        return [_silent(finding) if passed else finding for finding in findings]


def _silent(finding: Finding) -> Finding:
    return replace(finding, message="")


FORMAT = Format(
    "ansible",
    (
        *at_line(".yml", ".yaml"),
        "fatal: [",
        "failed: [",
        "ERROR! ",
        "[ERROR]: ",
        "error appears to be in",
        "UNREACHABLE!",
    ),
    _Playbooks,
    later=("TASK [", "PLAY [", "RUNNING HANDLER [", _IGNORED, "unreachable="),
)

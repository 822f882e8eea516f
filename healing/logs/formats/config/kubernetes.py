"""Checkers of Kubernetes manifests: kubeval, kubeconform, Helm, kube-linter, kubectl, conftest."""

import re

from healing.logs.shapes import Row, shaped
from healing.model import Category

_FILE = r"(?P<file>[^\s:][^:\s]{0,300}\.(?:ya?ml|json|tpl|txt))"

FORMAT = shaped(
    "kubernetes",
    (
        " contains an invalid ", " is invalid: ", " failed validation: ", "[ERROR] ", "[WARNING] ",
        "template: ", "(check: ",
        "error validating \"", "error parsing ", "FAIL - ", "Error from server", "INSTALLATION FAILED", "UPGRADE"
            r" FAILED",
        "unable to recognize ",
    ),
    Row(
        tool="kubeval",
        line=re.compile(rf"(?:ERR|WARN)\s{{1,3}}- {_FILE} contains an invalid (?P<message>\S.{{0,1000}})$"),
    ),
    Row(
        tool="kubeconform",
        line=re.compile(rf"{_FILE} - (?P<message>.{{0,200}}?(?: is invalid: | failed validation: )\S.{{0,1000}})$"),
    ),
    Row(
        tool="kube-linter",
        line=re.compile(
            rf"{_FILE}: \(object: .{{1,300}}?\) (?P<message>\S.{{0,600}}) \(check: (?P<code>[\w-]{{2,80}}),"
            rf" remediation: .*$"
        ),
    ),
    Row(
        tool="helm",
        category=Category.CONFIG,
        line=re.compile(
            r"(?:\[(?P<level>ERROR|WARNING)\] \S{1,200}: |(?:Error: )?(?:(?:INSTALLATION|UPGRADE) FAILED: )?)"
            r"(?:parse error at \(|template: )"
            r"(?:[^\s:/]{1,80}/(?=templates/|charts/))?(?P<file>[^\s:()]{1,300}):(?P<line>\d{1,7})(?::"
            r"(?P<column>\d{1,6}))?\)?: "
            r"(?P<message>\S.{0,1000})$"
        ),
    ),
    Row(
        tool="helm",
        category=Category.CONFIG,
        line=re.compile(
            r"\[(?P<level>ERROR|WARNING)\] "
            r"(?P<file>Chart\.ya?ml|values[\w.-]{0,60}\.ya?ml|values\.schema\.json|templates/\S{0,200}): "
            r"(?P<message>\S.{0,1000})$"
        ),
    ),
    Row(
        tool="helm",
        category=Category.CONFIG,
        line=re.compile(r"Error: (?P<message>(?:INSTALLATION|UPGRADE) FAILED: \S.{0,1000})$"),
    ),
    Row(
        tool="kubectl",
        category=Category.CONFIG,
        line=re.compile(
            rf"error: (?:error validating|error parsing|unable to recognize) \"?{_FILE}\"?: (?P<message>\S.{{0,1000}})$"
        ),
    ),
    Row(
        tool="kubectl",
        category=Category.INFRASTRUCTURE,
        line=re.compile(
            rf"(?P<message>Error from server(?: \(\w{{1,40}}\))?: (?:error when (?:creating|applying"
            rf" patch|retrieving).{{0,20}}\"{_FILE}\": )?"
            r"\S.{0,1000})$"
        ),
    ),
    Row(
        tool="conftest",
        line=re.compile(rf"(?P<level>FAIL|WARN) - (?:\(Combined\) - )?{_FILE} - (?:[\w.]{{1,80}} - )?"
            rf"(?P<message>\S.{{0,1000}})$"),
    ),
)  # fmt: skip

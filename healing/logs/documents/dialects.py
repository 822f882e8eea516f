"""The tools whose documents are known, one row each. Whatever a row doesn't define is read by the fields' names."""

from dataclasses import dataclass

from healing.logs.documents.node import Node, Value, word
from healing.logs.documents.places import Zero
from healing.model import Category, Severity

E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE
LINT, TYPE, SECURITY = Category.LINT, Category.TYPE, Category.SECURITY


@dataclass(frozen=True, slots=True)
class Dialect:
    """One tool's document format. `marks` are words (see node.word) of fields or tags near the top that identify it.

    `zero`: which numbers are 0-based. `file`: the default for findings without a file. `severity`: the default for
    those without one; `numbers`: the meaning of its numbers, by index. `message`: the only fields with the message.
    `prefix`: what the tool prints elsewhere before a code that is a bare number in the document.
    """

    tool: str
    marks: str
    category: Category = LINT
    zero: Zero = Zero.NOTHING
    file: str | None = None
    severity: Severity = E
    numbers: tuple[Severity, ...] = ()
    message: tuple[str, ...] = ()
    prefix: str = ""


LSP = (E, E, W, N, N)  # severities of the Language Server Protocol, which are 1-based
# Many tools write Checkstyle's XML; its `source` begins with a prefix for the tool whose rule it is.
SOURCES = (
    ("eslint.rules.", "eslint"), ("stylelint.rules.", "stylelint"), ("tslint.rules.", "tslint"), ("jslint", "jslint"),
    ("jshint.", "jshint"), ("detekt.", "detekt"), ("ShellCheck.", "shellcheck"), ("org.scalastyle.", "scalastyle"),
    ("swiftlint.rules.", "swiftlint"), ("ktlint.", "ktlint"), ("golangci", "golangci-lint"), ("rubocop", "rubocop"),
    ("PSR", "phpcs"), ("Squiz.", "phpcs"), ("Generic.", "phpcs"), ("PEAR.", "phpcs"), ("Hadolint", "hadolint"),
)  # fmt: skip
UNKNOWN = Dialect("report", "")

# The first row whose marks are all present is used.
DIALECTS = (
    Dialect("html-validate", "filepath messages offset size", numbers=(N, W, E)),
    Dialect("eslint", "filepath messages errorcount warningcount", numbers=(N, W, E)),
    Dialect("eslint", "filepath messages ruleid", numbers=(N, W, E)),
    Dialect("stylelint", "source warnings invalidoptionwarnings"),
    Dialect("stylelint", "source warnings deprecations"),
    Dialect("tslint", "startposition endposition failure rulename", zero=Zero.BOTH, message=("failure",)),
    Dialect("biome", "diagnostics command summary"),
    Dialect("jscpd", "duplicates statistics"),
    Dialect("ruff", "code filename location noqarow"),
    Dialect("ruff", "code filename endlocation cell"),
    Dialect("ruff", "code filename endlocation fix"),
    Dialect("pylint", "messageid symbol module obj", zero=Zero.COLUMNS),
    Dialect("pylint", "messageid symbol module absolutepath", zero=Zero.COLUMNS),
    Dialect("pyright", "generaldiagnostics", TYPE),
    Dialect("mypy", "file line column hint code severity message", TYPE, zero=Zero.COLUMNS),
    Dialect("bandit", "issuetext testid linerange", SECURITY, zero=Zero.COLUMNS),
    Dialect("flake8", "code filename linenumber columnnumber physicalline"),
    Dialect("flake8", "linenumber columnnumber physicalline"),
    Dialect("vulture", "deadcode"),
    Dialect("interrogate", "missingdocstrings"),
    Dialect("golangci-lint", "issues fromlinter"),
    Dialect("golangci-lint", "issues report linters"),
    Dialect("gosec", "golangerrors", SECURITY),
    Dialect("gosec", "gosecversion", SECURITY),
    Dialect("reviewdog", "diagnostics source"),
    Dialect("staticcheck", "code severity location end message file"),
    Dialect("revive", "failure rulename position confidence", message=("failure",)),
    Dialect("go vet", "posn message"),
    Dialect("rubocop", "files offenses"),
    Dialect("rubocop", "metadata files rubocopversion"),
    Dialect("brakeman", "scaninfo warnings", SECURITY, severity=W, message=("message",)),
    Dialect("brakeman", "warningtype fingerprint checkname", SECURITY, severity=W, message=("message",)),
    Dialect("reek", "smelltype lines source context"),
    Dialect("fasterer", "offensename"),
    Dialect("haml-lint", "files offenses hamllintversion"),
    Dialect("phpstan", "totals files messages identifier", TYPE),
    Dialect("phpcs", "totals files messages fixable"),
    Dialect("phpstan", "totals files errors", TYPE),
    Dialect("phpcs", "totals files"),
    Dialect("psalm", "linefrom columnfrom filename type", TYPE),
    Dialect("psalm", "linefrom snippet shortcode", TYPE),
    Dialect("phpmd", "files violations beginline", numbers=(W, E, E, W, W, W)),
    Dialect("pmd", "pmd", numbers=(W, E, E, W, W, W)),
    Dialect("pmd", "formatversion pmdversion files violations", numbers=(W, E, E, W, W, W)),
    Dialect("shellcheck", "file line endline level code message fix", prefix="SC"),
    Dialect("shellcheck", "comments level code", prefix="SC"),
    Dialect("hadolint", "code column file level line message"),
    Dialect("dockerlint", "error data count level", file="Dockerfile"),
    Dialect("tflint", "issues rule range callers"),
    Dialect("tfsec", "results ruleprovider", SECURITY),
    Dialect("tfsec", "results range ruleid filename", SECURITY),
    Dialect("checkov", "failedchecks checktype", SECURITY, message=("checkname",)),
    Dialect("checkov", "failedchecks passedchecks", SECURITY, message=("checkname",)),
    Dialect("kics", "kicsversion", SECURITY, message=("queryname",)),
    Dialect("terrascan", "results violations scansummary", SECURITY),
    Dialect("trivy", "artifactname results", SECURITY),
    Dialect("terraform", "valid diagnostics formatversion", Category.CONFIG),
    Dialect("semgrep", "checkid path start extra", SECURITY),
    Dialect("semgrep", "results paths errors version", SECURITY),
    Dialect("gitleaks", "ruleid startline secret match", SECURITY),
    Dialect("detect-secrets", "pluginsused results", SECURITY, message=("type",)),
    Dialect("talisman", "results failurelist", SECURITY),
    Dialect("openscap", "testresults rule evidence", SECURITY),
    Dialect("openscap", "ruleresult", SECURITY, message=("title", "idref")),
    Dialect("veracode", "scanid findings issuetypeid", SECURITY, message=("issuetype",)),
    Dialect("njsscan", "njsscanversion", SECURITY),
    Dialect("gitlab", "vulnerabilities scan scanner", SECURITY),
    Dialect("code quality", "fingerprint checkname location description", message=("description",)),
    Dialect("code quality", "fingerprint location description", message=("description",)),
    Dialect("sonarqube", "issues enginid primarylocation"),
    Dialect("sonarqube", "issues component rule", severity=W, message=("message",)),
    Dialect("sonarqube", "component textrange rule", severity=W, message=("message",)),
    Dialect("cfn-lint", "filename level location rule", Category.CONFIG),
    Dialect("cfn-lint", "filename level location message", Category.CONFIG),
    Dialect("sqlfluff", "linepos lineno", message=("description", "rulename", "ruledescription")),
    Dialect("sqlfluff", "violations startlineno startlinepos", message=("description",)),
    Dialect("sqlfluff", "rulecode rulename path", message=("description", "rulename", "ruledescription")),
    Dialect("spectral", "code path range source severity", Category.CONFIG, numbers=(E, W, N, N)),
    Dialect("vale", "check span severity match", numbers=()),
    Dialect("markdownlint", "rulenames ruledescription linenumber"),
    Dialect("docfx", "messageseverity datetime", Category.CONFIG, message=("message",)),
    Dialect("dscanner", "issues interfacecount", severity=W),
    Dialect("dscanner", "issues undocumentedpublicsymbols", severity=W),
    Dialect("coverity", "issues mergekey", SECURITY, severity=W),
    Dialect("coverity", "maineventfilepathname", SECURITY, severity=W),
    Dialect("swiftlint", "characterfile"),
    Dialect("swiftlint", "character file line reason ruleid type", message=("reason",)),
    Dialect("detekt", "detekt"),
    Dialect("dart", "diagnostics problemmessage correctionmessage", message=("problemmessage",)),
    Dialect("dart", "diagnostics severity location correctionmessage", message=("problemmessage",)),
    Dialect("credo", "issues checkname"),
    Dialect("credo", "issues check trigger"),
    Dialect("hlint", "hint startline endline decl refactorings", message=("hint",)),
    Dialect("elm", "compileerrors", Category.COMPILE),
    Dialect("elm", "type errors problems region", Category.COMPILE),
    Dialect("sorbet", "sorbet", TYPE),
    Dialect("lintr", "linenumber columnnumber linter"),
    Dialect("htmlhint", "file messages evidence"),
    Dialect("protolint", "lints filename"),
    Dialect("buf", "path startline endline type message"),
    Dialect("actionlint", "message filepath line column kind snippet", Category.CONFIG),
    Dialect("zizmor", "ident determinations locations", SECURITY),
    Dialect("knip", "files issues binaries"),
    Dialect("cargo-deny", "fields labels severity", SECURITY),
    Dialect("webpack", "errors warnings assets", Category.COMPILE),
    Dialect("reviewdog", "message location range"),
    Dialect("checkstyle", "checkstyle"),
    Dialect("jslint", "jslint"),
    Dialect("spotbugs", "bugcollection", numbers=(W, E, W, W, N)),
    Dialect("android lint", "issues by format"),
    Dialect("cppcheck", "results cppcheck"),
    Dialect("valgrind", "valgrindoutput", Category.RUNTIME),
    Dialect("ccm", "metric complexity"),
    Dialect("gcc", "kind caret locations children", Category.COMPILE),
    Dialect("simian", "simian"),
    Dialect("prefast", "defects defect"),
    Dialect("pit", "mutations", severity=W, message=("description", "mutator")),
    Dialect("resharper", "issuetypes"),
    Dialect("codenarc", "codenarc", numbers=(W, E, W, N)),
    Dialect("stylecop", "stylecopviolations"),
    Dialect("fxcop", "fxcopreport"),
    Dialect("idea", "problems problem problemclass"),
    Dialect("npm audit", "auditreportversion", SECURITY),
    Dialect("npm audit", "advisories actions muted", SECURITY),
    Dialect("pip-audit", "dependencies vulns", SECURITY),
    Dialect("osv-scanner", "results packages vulnerabilities", SECURITY),
    Dialect("govulncheck", "finding osv trace", SECURITY),
    Dialect("cargo audit", "vulnerabilities advisory versions", SECURITY),
    Dialect("grype", "matches artifact vulnerability", SECURITY),
    Dialect("dependency-track", "findings component vulnerability", SECURITY),
    Dialect("safety", "vulnerabilities affectedpackages", SECURITY),
    Dialect("snyk", "vulnerabilities packagemanager", SECURITY),
    Dialect("anchore", "vuln packagename", SECURITY),
    Dialect("bundler-audit", "results gem advisory", SECURITY),
    Dialect("composer audit", "advisories advisoryid", SECURITY),
    Dialect("owasp dependency-check", "dependencies scaninfo reportschema", SECURITY),
)


def dialect(root: Value) -> Dialect:
    """The row for this document; UNKNOWN if there is none."""
    words = signature(root)
    return next((row for row in _ROWS if row.marks and row_marks(row) <= words), UNKNOWN)


def row_marks(row: Dialect) -> frozenset[str]:
    """The marks as a set."""
    return _MARKS[row.marks]


_ROWS = DIALECTS
_MARKS = {row.marks: frozenset(row.marks.split()) for row in DIALECTS}


def signature(root: Value) -> frozenset[str]:
    """The words of fields and tags near the top, down to five levels of nodes and lists; of a list its first items."""
    words: set[str] = set()
    level = [root]
    for _ in range(5):
        below: list[Value] = []
        for value in level[:100]:
            if isinstance(value, list):
                below += value[:8]
            elif isinstance(value, Node):
                words.add(word(value.tag))
                words.update(map(word, list(value)[:60]))
                below += [child for child in list(value.values())[:40] if isinstance(child, (Node, list))]
        level = below
    return frozenset(words)

"""A repository in no language that Heal reads imports of: its errors are grouped by file, and the report says so."""

from handlers.comments.summary import summary
from tests.pipeline.bench import Bench

CHECK = """\
echo "src/main.zig:1:5: error: expected type 'u8', found 'bool'"
echo "src/main.zig:2:5: error: use of undeclared identifier 'lenght'"
echo "src/other.zig:1:5: error: expected ';' after statement"
exit 1
"""
FILES = {
    "check.sh": CHECK,
    "src/main.zig": "const a: u8 = true;\nconst b = lenght;\n",
    "src/other.zig": "const c = 1\n",
}


# CL-2 CL-3
async def test_errors_in_an_unknown_language_are_grouped_by_file_and_the_check_run_says_so(bench: Bench) -> None:
    outcome = await bench.heal({}, FILES, "bash check.sh")
    files = {cluster.zone: len(cluster.error_ids) for cluster in outcome.clusters}
    assert files == {("src/main.zig",): 2, ("src/other.zig",): 1}
    text = summary(outcome, {})
    assert "how the files hang together" in text
    assert "Heal reads no imports in files like src/main.zig" in text

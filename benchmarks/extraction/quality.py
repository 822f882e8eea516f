"""Recall, precision and located share on a corpus, raw and inside an Actions job log, by the corpus' own scorer."""

import importlib.util
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.extraction.peers import has_errorformat
from benchmarks.shape import Goal, Result

_ADAPTERS = {
    "heal": "from benchmarks.extraction.quality import heal as extract\n",
    "regex": "from benchmarks.extraction.peers import regex as extract\n",
    "errorformat": "from benchmarks.extraction.peers import errorformat as extract\n",
}


def heal(text: str) -> list[dict[str, Any]]:
    """What Heal reads."""
    from healing.logs.reading import read_log

    return [error.model_dump(mode="json") for error in read_log(text.encode("utf-8", "replace")).errors]


def measure(corpus: Path, result: Result) -> None:
    """A row for each reader, kind of log and way of wrapping; the goals for the part that is shown to us."""
    heads = {}
    for who in ("heal", "regex", *(("errorformat",) if has_errorformat() else ())):
        for wrapped in (False, True):
            heads[who, wrapped] = head = _score(corpus, who, wrapped)
            for kind, figures in head.items():
                if isinstance(figures, dict):
                    place = "wrapped" if wrapped else "raw"
                    result.rows.append({"what": kind, "who": f"{who}, {place}", **figures})
    raw, wrapped_head = heads["heal", False], heads["heal", True]
    output, inside = raw["tool-output"], wrapped_head["tool-output"]
    languages = _by(corpus, "language")
    result.rows += [*_by(corpus, "tool"), *languages]
    poorest = min((row["recall"] for row in languages if row["recall"] is not None), default=0.0)
    result.goals += [
        Goal("recall of tools' output, micro", ">= 0.95", output["recall"], output["recall"] >= 0.95),
        Goal("recall of tools' output, macro", ">= 0.9", output["macro"], output["macro"] >= 0.9),
        Goal("recall of the poorest language, micro", ">= 0.85", poorest, poorest >= 0.85),
        Goal("precision of tools' output", ">= 0.95", output["precision"], output["precision"] >= 0.95),
        Goal(
            "recall lost inside a job log",
            "<= 0.01",
            round(output["recall"] - inside["recall"], 4),
            output["recall"] - inside["recall"] <= 0.01,
        ),
        Goal("clean logs with a false alarm", "<= 0.01", raw["clean_false_alarm"], raw["clean_false_alarm"] <= 0.01),
        Goal("failing line in the top ten", ">= 0.9", raw["log_hit_top10"], raw["log_hit_top10"] >= 0.9),
        Goal("crashes", "= 0", raw["crashes"], raw["crashes"] == 0),
    ]


def _scorer(corpus: Path) -> Path:
    return corpus.parents[1] / "tools" / "score_extraction.py"


def _score(corpus: Path, who: str, wrapped: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        adapter, out = Path(folder, "adapter.py"), Path(folder, "out.json")
        adapter.write_text(_ADAPTERS[who])
        command = [
            sys.executable,
            *map(str, (_scorer(corpus), corpus, "--tier", "1", "--module", adapter, "--json", out)),
        ]
        subprocess.run([*command, *(["--wrap", "gha"] if wrapped else [])], check=True, capture_output=True)
        head: dict[str, Any] = json.loads(out.read_text())
        return head


def _by(corpus: Path, field: str) -> list[dict[str, Any]]:
    """Recall, located share and precision of Heal by the cases' tool or language, raw."""
    scorer = _load(_scorer(corpus))
    sums: dict[str, list[int]] = {}
    for case in json.loads((corpus / "manifest.json").read_text()):
        if case["tier"] != 1 or not case["kind"].startswith(("tool", "go-test", "test-report")):
            continue
        items = heal((corpus / case["input"]).read_bytes().decode("utf8", "replace"))
        found, located = ([_pays(scorer, e, items, strict) for e in case["expected"]] for strict in (True, False))
        sure = [item for item in items if item["severity"] != "note"] if case["complete"] else []
        right = sum(any(scorer.match(e, item) for e in case["expected"]) for item in sure)
        mine = sums.setdefault(case[field], [0] * 6)
        for index, value in enumerate((1, len(found), sum(found), sum(located), len(sure), right)):
            mine[index] += value
    return [
        {
            "what": name if field == "tool" else f"{field} {name}",
            "who": f"heal, {cases} logs, {expected} errors",
            "recall": round(found / expected, 4) if expected else None,
            "located": round(located / expected, 4) if expected else None,
            "macro": None,
            "precision": round(right / sure, 4) if sure else None,
        }
        for name, (cases, expected, found, located, sure, right) in sorted(sums.items())
    ]


def _pays(scorer: ModuleType, expected: dict[str, Any], items: list[dict[str, Any]], strict: bool) -> bool:
    return any(scorer.match(expected, item, strict) for item in items)


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("scorer", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

"""A strict stand-in of the `heal` command: it plays one way of ending, and refuses calls that the real one refuses.

The file `play.json` beside this program says what `run` prints and exits with, and which files `run`, `apply` and
`rollback` write. Calls are appended to `calls.jsonl`.
"""

import json
import os
import signal
import sys
from pathlib import Path

KNOWN = {"run": {"--json", "--quiet", "--run"}, "check": {"--quiet", "--fresh", "--run"}}
KNOWN |= {"apply": {"all", "--json"}, "rollback": {"all", "--json"}}


def main() -> int:
    here = Path(__file__).parent
    words = sys.argv[1:]
    with (here / "calls.jsonl").open("a") as calls:
        calls.write(
            json.dumps({"words": words, "data": os.environ.get("HEAL_DATA"), "path": os.environ["PATH"]}) + "\n"
        )
    verb, named = words[0], words[1:]
    command = named.pop(named.index("--run") + 1) if "--run" in named else ""
    if not set(named) <= KNOWN[verb] or ("--run" in named and not command) or not Path(".git").exists():
        print("a wrong call", file=sys.stderr)
        return 2
    play = json.loads((here / "play.json").read_text())
    if play.get("hangs") == verb:
        signal.pause()
    if play.get("dies") == verb:
        os.kill(os.getpid(), signal.SIGSEGV)
    if verb == "check":
        return os.WEXITSTATUS(os.system(command))
    untouched = Path(".git/HEAD").read_text().strip() == "ref: refs/heads/main"
    for path, text in {} if untouched else play.get(verb, {}).items():
        if text is None:
            Path(path).unlink()
        else:
            Path(path).write_text(text)
    if verb != "run":
        return 0
    reported = play.get("untouched" if untouched else "told", {})
    print("words of a tool that are no outcome {", file=sys.stderr)
    if "outcome" in reported:
        print(json.dumps(reported["outcome"]))
    return int(reported.get("exit_code", 0))


if __name__ == "__main__":
    sys.exit(main())

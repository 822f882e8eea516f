"""Records the samples of shells and git: `python -m tests.logs.recorders.config [name…]`. Wants bash, dash, git."""

import sys

from tests.logs.recorders.machine import Runs, write

SCRIPTS = {
    "deploy.sh": 'set -u\nif true; then\n  echo "$TILL"\nfi\n',
    "broken.sh": "if true; then\n  echo open\nfi fi\n",
    "quote.sh": 'echo "open\n',
    "missing.sh": "set -e\n./nothing.sh\n",
    "call.sh": "tillc --open\n",
}
REPOSITORY = {
    "run.sh": (
        "export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b\n"
        "export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n"
        "git init -q -b main .\nprintf 'one\\n' > till.txt\nprintf 'x\\n' > old.txt\ngit add till.txt old.txt\n"
        "git commit -q -m one\ngit checkout -q -b topic\nprintf 'two\\n' > till.txt\ngit rm -q old.txt\n"
        "git commit -q -a -m two\ngit checkout -q main\nprintf 'three\\n' > till.txt\nprintf 'y\\n' > old.txt\n"
        "git commit -q -a -m three\ngit merge topic\ngit merge --abort\ngit checkout v9\ngit checkout nowhere --\n"
        "printf 'a  \\n' >> till.txt\ngit diff --check\n"
        "printf -- '--- a/till.txt\\n+++ b/till.txt\\n@@ -1 +1 @@\\n-nine\\n+ten\\n' | git apply\n"
    )
}
RUNS: Runs = {
    "shell/bash": (SCRIPTS, "for s in deploy broken quote missing call; do bash $s.sh; done"),
    "shell/dash": (SCRIPTS, "for s in deploy broken quote missing call; do dash $s.sh; done"),
    "git/work": (REPOSITORY, "bash run.sh"),
}

if __name__ == "__main__":
    write(RUNS, sys.argv[1:])

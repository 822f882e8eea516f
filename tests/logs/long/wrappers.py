"""What CI systems print before each line, and how they end a job, red and green."""

from collections.abc import Callable

_HOUR = 10


def _clock(number: int) -> str:
    return f"{_HOUR}:{number // 60 % 60:02d}:{number % 60:02d}"


_BEFORE: dict[str, Callable[[int], str]] = {
    "": lambda n: "",
    "gha": lambda n: f"2026-01-05T{_clock(n)}.{n * 7919 % 10**7:07d}Z ",
    "gh": lambda n: f"build (ubuntu-latest, 3)\tUNKNOWN STEP\t2026-01-05T{_clock(n)}.{n * 7919 % 10**7:07d}Z ",
    "gitlab": lambda n: f"2026-01-05T{_clock(n)}.{n * 7919 % 10**6:06d}Z 01{'O' if n % 5 else 'E'} ",
    "gitlab plain": lambda n: "",
    "azure": lambda n: f"2026-01-05T{_clock(n)}.{n * 7919 % 10**7:07d}Z ",
    "jenkins": lambda n: f"[2026-01-05T{_clock(n)}.{n % 1000:03d}Z] ",
    "jenkins parallel": lambda n: f"{_clock(n)}  [linux-gcc] ",
    "teamcity": lambda n: f"[{_clock(n)}] :\t [Step 2/4] ",
    "taskcluster": lambda n: f"[task 2026-01-05T{_clock(n)}.{n % 1000:03d}Z] ",
    "mozharness": lambda n: f"[task 2026-01-05T{_clock(n)}.{n % 1000:03d}Z] {_clock(n)}     INFO -  ",
    "buildkite": lambda n: f"\x1b_bk;t=17676072{n % 100000:05d}\x07",
    "circle": lambda n: "",
    "drone": lambda n: f"[build:{n}] ",
    "compose": lambda n: "app-1  | ",
    "concourse": lambda n: f"{_clock(n)} ",
    "zuul": lambda n: f"2026-01-05 {_clock(n)}.{n * 7919 % 10**6:06d} | ubuntu-noble | ",
    "obs": lambda n: f"[{n:5d}s] ",
    "kubectl": lambda n: "[pod/runner-x7k2p/step-build] ",
    "bitbucket": lambda n: "",
    "turbo": lambda n: "@shop/till:build: ",
    "nix": lambda n: "till> ",
    "buildkit": lambda n: f"#14 {n / 7:.3f} ",
}
_PLAIN: tuple[list[str], list[str]] = ([], [])
ENDINGS: dict[str, tuple[list[str], list[str]]] = dict.fromkeys(_BEFORE, _PLAIN) | {
    "gha": (["##[error]Process completed with exit code 1.", "Post job cleanup.", "Cleaning up orphan processes"], []),
    "gh": (["##[error]Process completed with exit code 2."], []),
    "gitlab": (["ERROR: Job failed: exit code 1"], ["Job succeeded"]),
    "gitlab plain": (["ERROR: Job failed: exit status 1"], ["Job succeeded"]),
    "azure": (["##[error]Bash exited with code '1'.", "##[section]Finishing: Build"], ["##[section]Finishing: Build"]),
    "jenkins": (
        ["[Pipeline] }", "[Pipeline] End of Pipeline", "ERROR: script returned exit code 1", "Finished: FAILURE"],
        ["[Pipeline] End of Pipeline", "Finished: SUCCESS"],
    ),
    "jenkins parallel": (
        ["Failed in branch linux-gcc", "ERROR: script returned exit code 2", "Finished: FAILURE"],
        ["Finished: SUCCESS"],
    ),
    "teamcity": (
        ["Process exited with code 1", "Process exited with code 1 (Step: make (Command Line))"],
        ["Process exited with code 0"],
    ),
    "taskcluster": (
        [
            "[taskcluster 2026-01-05T11:00:00.000Z] === Task Finished ===",
            "[taskcluster 2026-01-05T11:00:00.000Z] Unsuccessful task run with exit code: 1 completed in 812.2 seconds",
        ],
        ["[taskcluster 2026-01-05T11:00:00.000Z] Successful task run with exit code: 0 completed in 812.2 seconds"],
    ),
    "mozharness": (
        [
            "Return code: 1",
            "[taskcluster 2026-01-05T11:00:00.000Z] Unsuccessful task run with exit code: 1 completed in 812.2 seconds",
        ],
        ["Return code: 0"],
    ),
    "buildkite": (["^^^ +++", "🚨 Error: The command exited with status 1"], []),
    "circle": (["", "Exited with code exit status 1"], ["CircleCI received exit code 0"]),
    "concourse": (["failed"], ["succeeded"]),
    "zuul": (
        ["ubuntu-noble | ERROR", '{"delta": "0:12:01.2", "msg": "non-zero return code", "rc": 2}'],
        ["ubuntu-noble | ok: Runtime: 0:12:01.2"],
    ),
    "compose": (["app-1 exited with code 1"], ["app-1 exited with code 0"]),
    "obs": (
        ["error: Bad exit status from /var/tmp/rpm-tmp.Xk3 (%build)"],
        ['finished "build till.spec" at Mon Jan  5 11:00:00 UTC 2026.'],
    ),
    "turbo": (["ERROR: command finished with error: command (/w/till) npm run build exited (1)"], []),
}
_UNPREFIXED = (
    "[taskcluster",
    "Finished:",
    "ERROR: script",
    "[Pipeline]",
    "Exited with code",
    "ERROR: Job",
    "Job succeeded",
    "app-1 exited",
    "🚨",
    "^^^",
    "CircleCI",
)


def wrapped(lines: list[str], wrapper: str) -> list[str]:
    """The lines as that CI system stores them."""
    before = _BEFORE[wrapper]
    bare = wrapper not in ("gha", "gh", "gitlab", "azure")
    return [line if bare and line.startswith(_UNPREFIXED) else before(n) + line for n, line in enumerate(lines)]

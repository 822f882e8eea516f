"""`python -m tests.fuzzing.guided NAME SECONDS`: the same readers, with coverage to lead the way (atheris).

`make fuzz` installs atheris, which is heavy and nothing else needs. What is found is in a file that libFuzzer names.
"""

import sys
import tempfile
from pathlib import Path

import atheris  # type: ignore[import-not-found,unused-ignore]

with atheris.instrument_imports(include=["bot", "handlers", "healing"]):
    from tests.fuzzing.readers import read, starts


def main() -> None:
    """Ends the process: with exit code 0 where nothing was found."""
    name, seconds = sys.argv[1:3]
    with tempfile.TemporaryDirectory(prefix="heal-fuzz-") as corpus:
        for number, data in enumerate(starts(name)):
            Path(corpus, str(number)).write_bytes(data)
        limits = [f"-max_total_time={seconds}", "-max_len=20000", "-timeout=20", "-rss_limit_mb=2048"]
        atheris.Setup([sys.argv[0], *limits, corpus], lambda data: read(name, data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()

"""One command of a tool, as a value and as bash."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    """One command in a folder of the repo. `codes`: the exit codes that mean that it could do its work. `bins` are
    folders of programs that come before the others, relative to the repo's top: node_modules/.bin."""

    argv: tuple[str, ...]
    folder: str = "."
    codes: tuple[int, ...] = (0,)
    bins: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """As bash, in a subshell."""
        words = [f"cd {shlex.quote(f'./{self.folder}')}"]  # `errexit` holds: a folder that is not there ends it
        path = "".join(f'"$heal_top"/{shlex.quote(folder)}:' for folder in self.bins)
        words += [f"export {name}={shlex.quote(value)}" for name, value in self.env]
        if path:
            words.append(f'export PATH={path}"$PATH"')
        accepted = "|".join(map(str, self.codes))
        judge = f"case $code in {accepted}) exit 0;; *) exit $code;; esac"
        return f"({' && '.join(words)}; code=0; {shlex.join(self.argv)} || code=$?; {judge})"

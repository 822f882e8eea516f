"""One command of a tool, as a value and as bash."""

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    """One command in a folder of the repo. `codes`: the exit codes of a successful run. `bins` are folders of programs
    that take precedence, relative to the repo's root: node_modules/.bin."""

    argv: tuple[str, ...]
    folder: str = "."
    codes: tuple[int, ...] = (0,)
    bins: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()

    def text(self) -> str:
        """The command as bash, in a subshell."""
        words = [f"cd {shlex.quote(f'./{self.folder}')}"]  # with `errexit` a missing folder ends it
        path = "".join(f'"$heal_top"/{shlex.quote(folder)}:' for folder in self.bins)
        words += [f"export {name}={shlex.quote(value)}" for name, value in self.env]
        if path:
            words.append(f'export PATH={path}"$PATH"')
        accepted = "|".join(map(str, self.codes))
        judge = f"case $code in {accepted}) exit 0;; *) exit $code;; esac"
        return f"({' && '.join(words)}; code=0; {shlex.join(self.argv)} || code=$?; {judge})"

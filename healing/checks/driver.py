"""The shell program that runs a check inside the sandbox: services, set-up steps, then the step itself.

It reports through the report descriptor, which no process of the repository inherits: neither the output nor the exit
code of a step can be mistaken for a report.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

SETUP_FAILED = 97
SERVICE_FAILED = 98
MAX_PRINTED = 64 << 20  # bytes that one set-up step may print
NOTHING = ":"  # the step of a job that only runs set-up

# Set-up steps and the step itself share one home, so that the step finds what set-up left there. Where they run as
# separate jobs, what they pass on by $GITHUB_ENV and $GITHUB_PATH is kept in that home too.
DRIVER = """
step=$1; services=$2; number=$3; shift 3
eval "exec 9>&$HEAL_REPORT"
[ "$HEAL_REPORT" = 9 ] || eval "exec $HEAL_REPORT>&-"
unset HEAL_REPORT
if [ -d "$HOME/.heal/env" ]; then
  export VIRTUAL_ENV="$HOME/.heal/env" npm_config_prefix="$HOME/.heal/npm"
  PATH="$VIRTUAL_ENV/bin:$npm_config_prefix/bin:$PATH"
  corepack() {  # it writes beside itself, which no one may here
    case $1 in
      enable|disable)
        mkdir -p "$npm_config_prefix/bin"
        command corepack "$1" --install-directory "$npm_config_prefix/bin" "${@:2}" ;;
      *) command corepack "$@" ;;
    esac
  }
  [ $# = 0 ] || export -f corepack
fi
if [ -d "$HOME/.heal/wheels" ]; then export PIP_FIND_LINKS="$HOME/.heal/wheels" UV_FIND_LINKS="$HOME/.heal/wheels"; fi
if [ -d "$HOME/.heal/env" ] && [ "$PIP_NO_INDEX" = 1 ]; then
  export UV_OFFLINE=1 npm_config_offline=true  # what was fetched is all that there is
fi
[ -z "$services" ] || bash --noprofile --norc -c "$services" </dev/null >"$HOME/.services" 2>&1 9>&- || {
  echo "service-failed" >&9; exec 9>&-; cat "$HOME/.services"; exit 98
}
export GITHUB_ENV="$HOME/.github-env" GITHUB_PATH="$HOME/.github-path" GITHUB_OUTPUT="$HOME/.github-output"
export GITHUB_STEP_SUMMARY="$HOME/.github-summary" GITHUB_WORKSPACE="$PWD"
take() {
  while IFS= read -r line; do PATH="$line:$PATH"; done < "$1"
  while IFS= read -r line; do
    name=${line%%[=<]*}; value=${line#*=}
    case $line in
      "$name<<"?*)
        end=${line#*<<}; value=; comma=
        while IFS= read -r line && [ "$line" != "$end" ]; do value="$value$comma$line"; comma=$'\n'; done ;;
    esac
    case $name in ''|*[!A-Za-z0-9_]*|[0-9]*) ;; *) export "$name=$value" ;; esac
  done < "$2"
}
touch "$HOME/.kept-path" "$HOME/.kept-env" 9>&-
take "$HOME/.kept-path" "$HOME/.kept-env"
: > "$GITHUB_PATH"; : > "$GITHUB_ENV"; : > "$GITHUB_OUTPUT"; : > "$GITHUB_STEP_SUMMARY"
for setup in "$@"; do
  number=$((number + 1))
  bash --noprofile --norc -c "$setup" </dev/null >"$HOME/.setup.log" 2>&1 9>&- &
  running=$!
  while sleep 1; do
    [ "$(stat -c %s "$HOME/.setup.log")" -lt MAX_PRINTED ] || { kill -KILL $running; break; }
  done >/dev/null 2>&1 9>&- &
  watching=$!
  wait $running 2>/dev/null || {
    code=$?; echo "setup-failed $number" >&9; exec 9>&-
    how="ended with exit code $code"
    [ "$(stat -c %s "$HOME/.setup.log")" -lt MAX_PRINTED ] || how="printed more than MAX_PRINTED bytes and was ended"
    echo "set-up step $number $how"; tail -c 4000 "$HOME/.setup.log"; exit 97
  }
  kill $watching; wait $watching 2>/dev/null
  {
    take "$GITHUB_PATH" "$GITHUB_ENV"
    cat "$GITHUB_PATH" >> "$HOME/.kept-path"; cat "$GITHUB_ENV" >> "$HOME/.kept-env"
    : > "$GITHUB_PATH"; : > "$GITHUB_ENV"
    idle=no
    if grep -q '^Requirement already satisfied' "$HOME/.setup.log" &&
      ! grep -qv '^Requirement already satisfied' "$HOME/.setup.log"; then idle=yes; fi
  } 9>&-
  [ $idle = no ] || echo "idle $number" >&9
done
echo "main $$" >&9
exec bash --noprofile --norc -c "$step" </dev/null 9>&-
""".replace("MAX_PRINTED", str(MAX_PRINTED))


REPORTED = re.compile(rb"(service-failed|setup-failed|idle)(?: ([0-9]{1,6}))?\Z")
MAIN = re.compile(rb"^main ([0-9]{1,7})$", re.M)


@dataclass(frozen=True)
class DriverReport:
    """How far the driver got. `idle` are the numbers of set-up steps that had nothing to do; `main` is the process id,
    inside the sandbox, of the step's first process (0: it was not started)."""

    service_failed: bool = False
    setup_failed: bool = False
    idle: tuple[int, ...] = ()
    main: int = 0


def read_report(report: bytes) -> DriverReport:
    """Parse what the driver wrote to its report descriptor; unknown lines are ignored."""
    lines = [match for line in report.splitlines() if (match := REPORTED.match(line))]
    kinds = {match[1] for match in lines}
    idle = tuple(int(match[2]) for match in lines if match[1] == b"idle" and match[2])
    main = MAIN.search(report)
    return DriverReport(b"service-failed" in kinds, b"setup-failed" in kinds, idle, int(main[1]) if main else 0)


def driver_command(step: str, services: str, setup: Sequence[str], before: int = 0) -> tuple[str, ...]:
    """The command that runs each of `setup` in turn and then `step`, all bash text. `before`: how many set-up steps ran
    in jobs of their own. The job must have `reports` set."""
    return ("bash", "--noprofile", "--norc", "-c", DRIVER, "heal", step, services, str(before), *setup)

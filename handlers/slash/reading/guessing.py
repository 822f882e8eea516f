"""Suggests a command for an unknown word: by synonyms first, then by spelling.

Spelling alone misleads: `confirm` is nearly `config`, `cause` nearly `pause`, and `unreject` is the opposite of
`reject`, which it contains. So words that people know from other bots are listed as synonyms, and any other word is
only compared with commands that differ by a letter or two. No suggestion is better than a wrong one."""

from healing.spelling import distance

MAX_LENGTH = 24  # letters of a word that may be mistyped
MIN_FOR_TWO_ERRORS = 6  # letters that a command needs, so that two of them may be wrong

# Words that people type for each command, some known from other bots. The empty command is a bare `/heal`.
_WORDS_OF = {
    "apply": "accept approve commit merge take all confirm push submit reapply lgtm allow yes ok ack",
    "rollback": "undo revert unapply restore unfix reset reverse backout unmerge",
    "reject": "ignore dismiss decline deny discard drop remove delete close no nope wontfix nack withdraw",
    "cancel": "stop abort kill end quit halt interrupt",
    "": "run start fix go begin repair check me heal lint format recheck post suggest review please",
    "retry": (
        "rerun re-run redo again refresh rebase recreate replay restart "
        "reload retest how hint unreject reopen regenerate"
    ),
    "dry-run": "try test preview dryrun simulate",
    "explain": "why reason describe cause what who",
    "show": "diff view patch proof details evidence open",
    "list": "fixes ls suggestions proposals",
    "unfixable": "errors failed failures left unfixed",
    "status": "state info progress results ping report log logs",
    "cost": "costs price budget spend usage tokens",
    "pause": "mute wait hold skip sleep snooze silence freeze",
    "resume": "continue unpause unmute unfreeze",
    "on": "enable activate install",
    "off": "disable deactivate uninstall trial of",
    "pr": "fixup pull branch",
    "config": "settings configuration configure options yml",
    "snapshots": "update snapshot",
    "help": "? commands usage? --help -h hi hello",
}
SYNONYMS = {word: command for command, words in _WORDS_OF.items() for word in words.split()}


def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The command that was probably meant, empty for a bare `/heal`; None if none is likely."""
    if word in SYNONYMS:
        return SYNONYMS[word]
    bare = word.strip(".,:;!?`'\"").removeprefix("/")
    if bare in known:
        return bare
    if bare in SYNONYMS:
        return SYNONYMS[bare]
    if not bare or len(bare) > MAX_LENGTH:
        return None
    commands = {one: one for one in known} | SYNONYMS
    return _inflected(bare, commands) or _mistyped(bare, known, commands)


def _inflected(word: str, commands: dict[str, str]) -> str | None:
    """The command whose word has another ending: `pausing`, `ignored`."""
    stems = {one: to for one, to in commands.items() if len(one) > 3 and word.startswith(one.removesuffix("e"))}
    longest = max(stems, key=len, default="")
    endings = ("s", "d", "ed", "ing", "ting", "led", "ling")
    return stems[longest] if longest and word.removeprefix(longest.removesuffix("e")) in endings else None


def _mistyped(word: str, known: tuple[str, ...], commands: dict[str, str]) -> str | None:
    """The command whose word differs by one letter, or by two if it is a long command and no synonym."""
    scored = [(distance(word, one), one not in known, at, one) for at, one in enumerate(commands)]
    near = [one for one in scored if one[0] <= (2 if not one[1] and len(one[3]) >= MIN_FOR_TWO_ERRORS else 1)]
    likely = [one for one in near if len(one[3]) > 2 or one[3][0] == word[0]]
    return commands[min(likely)[3]] if likely else None

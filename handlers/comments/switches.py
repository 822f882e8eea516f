"""What is said about where Heal offers fixes, and where it only observes (OP-8)."""

OBSERVING = (
    "**Trial:** Heal only observes this repository. It posts nothing but this check run, pushes nothing and spends at "
    "most $1 a day. When somebody with write access says `/heal on` on a pull request, fixes are offered from then on.",
)
ON = "Heal offers fixes in this repository from now on; `/heal off` goes back to observing."
ALREADY_ON = "Heal offers fixes in this repository already. `/heal` looks at this pull request again."
OFF = (
    "Heal only observes this repository from now on: it posts nothing but its check run until somebody says "
    "`/heal on`. What was offered before stays where it is and can still be taken."
)

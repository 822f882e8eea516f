"""The answers to `on` and `off`, and the note of repositories that Heal only observes."""

OBSERVING = (
    "**Trial mode:** Heal posts nothing in this repository but this check run, pushes nothing and spends at most $1 a "
    "day. To get fixes offered, comment `/heal on` on a pull request (needs write access).",
)
ON = "Heal now offers fixes in this repository. `/heal off` goes back to trial mode."
ALREADY_ON = "Heal offers fixes in this repository already. Comment `/heal` to run again on this pull request."
OFF = (
    "Trial mode: Heal posts nothing in this repository but its check run until `/heal on`. Open fixes stay and can "
    "still be applied."
)

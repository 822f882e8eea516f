"""The answers to `on` and `off`, and the note of repositories that Heal only observes."""

OBSERVING = (
    "**Trial mode:** in this repository, Heal posts only this check run, pushes nothing and spends at most $1 a day. "
    "To have Heal offer fixes, comment `/heal on` on a pull request (needs write access).",
)
ON = "Heal now offers fixes in this repository. `/heal off` goes back to trial mode."
ALREADY_ON = "Heal already offers fixes in this repository. Comment `/heal retry` to run again on this pull request."
OFF = (
    "Back in trial mode: until `/heal on`, Heal posts only its check run in this repository. Open fixes stay and can "
    "still be applied."
)

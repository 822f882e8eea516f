"""The buttons of Heal's check run: (label, description, identifier), at most 20, 40 and 20 characters (GH-3)."""

ROLL_BACK = ("Roll back", "Take the fixes in question back", "rollback")
APPLY_ALL = ("Apply all", "Verify again and commit all fixes", "apply-all")
RERUN_FAILED = ("Re-run failed", "Run what may pass again in CI", "rerun-failed")
RETRY = ("Retry", "Look at the failures again", "retry")

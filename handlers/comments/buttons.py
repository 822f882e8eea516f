"""The buttons of Heal's check run: (label, description, identifier), at most 20, 40 and 20 characters."""

ROLL_BACK = ("Roll back", "Revert the fixes that broke CI", "rollback")
APPLY_ALL = ("Apply all", "Test again and commit all fixes", "apply-all")
RERUN_FAILED = ("Re-run failed", "Re-run the failed CI jobs", "rerun-failed")
RETRY = ("Retry", "Run Heal again on this commit", "retry")

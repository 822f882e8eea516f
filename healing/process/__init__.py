"""Programs that Heal starts, and the user as whom they run."""

"""From a workflow file to commands that Heal can run again: finds what CI ran, narrows it and runs it in the
sandbox."""

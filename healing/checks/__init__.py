"""From a workflow file to commands that Heal can run again: what CI ran, narrowed, and run in the sandbox."""

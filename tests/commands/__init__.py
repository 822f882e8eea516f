"""The real command line in a process of its own, without loading Python and Heal anew for each call."""

"""Service containers of a job: the same program, started beside the check in its sandbox. A file each."""

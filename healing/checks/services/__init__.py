"""Service containers of a job (CK-1): the same program, started beside the check in its sandbox. A file each."""

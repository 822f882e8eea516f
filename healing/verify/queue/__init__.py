"""The merge queue: finished proposals become merges of one integration branch, first come, first served."""

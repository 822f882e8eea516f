"""The merge queue (MQ-1..5): finished proposals become merges of one integration branch, first come, first served."""

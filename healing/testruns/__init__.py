"""Which tests ran, by id, from what the test runners themselves report to Heal (healing/testruns/collector.py)."""

"""Which tests ran, by id, as the test runners themselves report to Heal (healing/testruns/collector.py)."""

"""Variants of a failing test: the same test with other values, to find a fix that works only for the test's own values.

If the code from before the pull request passes the test, its results with other values are the reference for the fix's
results. Otherwise the changes of values that a test allows are not guessed: tests that pass without the fix, and use
the same parts of the product, show them by passing with the changed values too.
"""

"""Variants of a failing test: the same test with other values, for a fix that is right only for its own values.

Where the code from before the pull request passes the test, its results with other values are what a fix's results are
compared with. Else which changes of values a test allows is not guessed: tests that pass without the fix, and use the
same parts of the product, show it by passing with the changed values too.
"""

"""Variants of a failing test: the same test with other values, for a fix that cures only the values that stand there.

Which changes of values a test allows is not guessed: tests that pass without the fix, and use the same parts of the
product, say it by passing with the changed values too.
"""

"""Formats of Ruby's compilers, tests, linters and package tools."""

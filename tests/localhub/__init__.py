"""Tests of the local GitHub."""

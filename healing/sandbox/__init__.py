"""Runs everything that comes from a repository; nothing of it runs elsewhere. One file per back end."""

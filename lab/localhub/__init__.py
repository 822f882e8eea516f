"""A strict, stateful GitHub on localhost over real HTTP and real git, for the demo and for tests."""

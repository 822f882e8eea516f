"""A GitHub on localhost: strict, stateful, over real HTTP and real git; for the demo and for tests."""

"""The JSON that GitHub shows of each thing; every shape is checked against its OpenAPI description in the tests."""

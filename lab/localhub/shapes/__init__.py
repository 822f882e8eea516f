"""GitHub's JSON of each object; the tests validate every shape against GitHub's OpenAPI description."""

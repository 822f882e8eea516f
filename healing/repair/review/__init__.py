"""The second opinion on a model's fix: a separate call that sees the error, the change and the code around it."""

"""How agents work on a run's clusters: their order, what each is given, where it works, and what is checked again."""

"""How agents share a run's clusters: the order, what each is given, where it works, what is judged again."""

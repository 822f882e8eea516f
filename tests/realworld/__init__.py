"""Real projects, broken in realistic ways and healed through webhooks: what Heal does with code that it never saw."""

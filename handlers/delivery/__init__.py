"""How fixes are offered: planned purely, carried out through the publisher (GH-1, GH-8, GH-9)."""

"""How fixes are offered: planned purely, carried out through the publisher."""

"""`make gallery`: docs/texts.md, every text that Heal posts, and docs/gallery.md, a picture of every page."""

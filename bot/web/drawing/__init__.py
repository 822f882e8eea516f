"""SVG drawings for pages, without scripts or style attributes, with all text escaped."""

"""What becomes of an offered fix: applied, carried over, turned down, taken back, gone."""

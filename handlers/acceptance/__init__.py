"""What becomes of an offered fix: applied, carried over, turned down, taken back, gone (GH-6, SC-5)."""

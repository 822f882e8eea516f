"""The phases that `healing/pipeline/pipeline.py` runs: reading what failed, repairs without a model, and agents."""

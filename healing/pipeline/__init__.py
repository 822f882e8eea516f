"""The parts of the story that `healing/pipeline/pipeline.py` tells: what was seen, what is repaired for free, what
agents do."""

"""What agents can do, a file for each kind of it; `toolbox.py` is the verifier, `arguments.py` what a model is
shown."""

"""What agents can do, a file for each kind of it; `toolbox.py` calls them.

What a model is shown of them is in `tool_arguments.py`, beside this folder.
"""

"""The implementation of the agents' tools, one file per kind; `toolbox.py` calls them.

The schemas that a model sees are in `tool_arguments.py`, beside this folder.
"""

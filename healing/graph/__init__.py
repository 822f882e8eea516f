"""The import graph of a repo in all languages that Heal reads; `import_graph` builds it, incrementally."""

from healing.graph.graph import Graph
from healing.graph.making import Cache, import_graph
from healing.graph.testfiles import is_test

__all__ = ["Cache", "Graph", "import_graph", "is_test"]

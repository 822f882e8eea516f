"""The laboratory: GitHub and CI on one machine (`localhub`) and the demo on them. Nothing of the product imports it."""

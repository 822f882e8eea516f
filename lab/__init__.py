"""GitHub and CI on one machine (`localhub`), and the demo that uses them. The product imports nothing from here."""

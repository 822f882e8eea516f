"""Pictures that pages show: SVG made here, without a script or a style attribute, everything in it escaped."""

"""What is known of no tool in particular: places, pictures, groups of rows, loud lines, the runner's annotations."""

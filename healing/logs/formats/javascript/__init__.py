"""Tools of JavaScript, TypeScript, CSS and HTML."""

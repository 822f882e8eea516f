"""Tools of prose, schemas, documents and the languages without a folder of their own."""

"""Formats of Java, Kotlin, Scala and Groovy: compilers, builds, tests and linters."""

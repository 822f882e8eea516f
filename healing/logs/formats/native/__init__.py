"""Compiled languages beside Go and Rust: C, C++, Swift, Fortran, Ada, Haskell and others; their builds and tests."""

"""Compiled languages beside Go and Rust: C, C++, Swift, Fortran, Ada, Haskell and the like, with their builds and tests."""

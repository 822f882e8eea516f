"""Records the samples of Rust's tools: `python -m tests.logs.recorders.rust [name…]`; wants cargo, clippy, rustfmt."""

import sys

from tests.logs.recorders.machine import Runs, write

CARGO = {"Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'}
BROKEN = {
    "src/lib.rs": (
        "mod till;\n\npub fn total(items: &[i32]) -> i32 {\n    let sum: String = items.iter().sum::<i32>();\n    "
        "sum\n}\n\n"
        "pub fn name() -> String {\n    let word = String::new();\n    let other = word;\n    word + "
        "undefined_name\n}\n"
    ),
    "src/till.rs": 'use nowhere::Thing;\n\npub fn open(n: u32) {\n    printn!("{}", n);\n    opne(1, 2);\n}\n\nfn '
    "two(a: u8) {}\n"
    "pub fn call() {\n    two();\n}\n",
}
SYNTAX = {"src/lib.rs": "pub fn total( -> i32 {\n    1\n}\n"}
WARNED = {
    "src/lib.rs": (
        "use std::collections::HashMap;\n\npub fn total(items: &Vec<i32>) -> i32 {\n    let unused = 1;\n"
        "    let mut sum = 0;\n    for i in 0..items.len() {\n        sum = sum + items[i];\n    }\n    return "
        "sum;\n}\n"
    )
}
TESTS = {
    "src/lib.rs": (
        "//! ```\n//! assert_eq!(shop::total(&[]), 1);\n//! ```\n\npub fn total(items: &[i32]) -> i32 {\n"
        "    items.iter().sum()\n}\n\npub fn at(items: &[i32], i: usize) -> i32 {\n    items[i]\n}\n\n"
        "#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n"
        '        assert_eq!(total(&[1, 2]), 4, "one and two");\n    }\n\n    #[test]\n    fn looks_up() {\n        '
        "at(&[], 3);\n    }\n\n"
        '    #[test]\n    fn fine() {\n        println!("error: just words");\n    }\n\n'
        "    #[test]\n    #[should_panic]\n    fn panics() {\n        total(&[]);\n    }\n\n"
        '    #[test]\n    fn gives() -> Result<(), String> {\n        Err("no luck".into())\n    }\n\n'
        "    #[test]\n    fn truth() {\n        assert!(total(&[1]) > 3);\n    }\n}\n"
    )
}
PANIC = {"src/main.rs": 'fn main() {\n    let none: Option<u8> = None;\n    none.expect("a price");\n}\n'}
UGLY = {"src/lib.rs": "pub fn total( a:i32 )->i32{\n  a+1 }\n\n\n\npub fn two() -> i32 { return   2 }\n"}
MANIFEST = {"Cargo.toml": '[package]\nname = "shop"\nversion = "x.1"\n', "src/lib.rs": ""}
DEPENDENCY = {
    "Cargo.toml": CARGO["Cargo.toml"] + '\n[dependencies]\nnowhere = { path = "../nowhere" }\n',
    "src/lib.rs": "",
}
LINKING = {
    "src/main.rs": 'extern "C" {\n    fn missing_symbol();\n}\n\nfn main() {\n    unsafe { missing_symbol() }\n}\n'
}
DOC = {"src/lib.rs": "//! ```\n//! shop::missing();\n//! ```\n"}

RUNS: Runs = {
    "rustc/build": (CARGO | BROKEN, "cargo build --offline"),
    "rustc/short": (CARGO | BROKEN, "cargo check --offline --message-format short"),
    "rustc/syntax": (CARGO | SYNTAX, "cargo check --offline"),
    "rustc/clippy": (CARGO | WARNED, "cargo clippy --offline"),
    "rustc/clippy-deny": (CARGO | WARNED, "cargo clippy --offline -- -D warnings"),
    "rustc/manifest": (MANIFEST, "cargo build --offline"),
    "rustc/dependency": (DEPENDENCY, "cargo build --offline"),
    "rustc/locked": (CARGO | WARNED, "cargo build --offline --locked"),
    "rustc/linking": (CARGO | LINKING, "cargo build --offline"),
    "cargo-test/plain": (CARGO | TESTS, "cargo test --offline --no-fail-fast"),
    "cargo-test/backtrace": (CARGO | TESTS, "RUST_BACKTRACE=1 cargo test --offline --lib looks"),
    "cargo-test/doc": (CARGO | DOC, "cargo test --offline"),
    "cargo-json/check": (CARGO | BROKEN, "cargo check --offline --message-format json"),
    "rust-panic/main": (CARGO | PANIC, "cargo run --offline"),
    "rustfmt/check": (CARGO | UGLY, "cargo fmt --check"),
}

if __name__ == "__main__":
    write(RUNS, sys.argv[1:], RUSTUP_TOOLCHAIN="stable", CARGO_TERM_COLOR="never")

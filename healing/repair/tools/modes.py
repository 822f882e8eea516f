"""How a tool's check is made to write what it demands: the option that makes it one, and the option to write."""

from functools import lru_cache
from typing import NamedTuple

# The tool, with its subcommand if it has several; the words that make it a check, of which one must be there; and those
# that make it write, in their place. `*`: it is a check without any word.
MODES = """
add-trailing-comma | *                                   |
air format         | --check                             |
alejandra          | --check -c                          |
autoflake          | --check -c --check-diff -cd         | --in-place
autopep8           | --diff -d --exit-code               | --in-place
beautysh           | --check -c                          |
biome              | ci check                            | check --write
biome format       | *                                   | --write
biome lint         | *                                   | --write
black              | --check --diff                      |
blue               | --check --diff                      |
buf format         | -d --diff --exit-code               | -w
buildifier         | -mode=check --mode=check -lint=warn | -mode=fix
cabal-fmt          | --check -c                          | --inplace
cargo clippy       | *                                   | --fix --allow-dirty --allow-no-vcs
cargo fmt          | --check                             |
cargo sort         | --check -c --check-format           |
clang-format       | --dry-run -n -Werror --Werror       | -i
cljfmt             | check                               | fix
cmake-format       | --check                             | -i
codespell          | *                                   | -w
crystal tool       | --check                             |
csharpier          | check --check                       | format
darker             | --check --diff                      |
dart fix           | --dry-run -n                        | --apply
dart format        | --output=none --set-exit-if-changed |
deno fmt           | --check                             |
djlint             | --check --lint                      | --reformat
docformatter       | --check -c --diff                   | --in-place
dotnet format      | --verify-no-changes                 |
dprint             | check                               | fmt
dune build         | @fmt                                | @fmt --auto-promote
dune fmt           | *                                   | --auto-promote
ecs check          | *                                   | --fix
elm-format         | --validate                          | --yes
ember-template-lint | *                                  | --fix
erb_lint           | *                                   | --autocorrect
erblint            | *                                   | --autocorrect
erlfmt             | --check -c                          | --write
eslint             | *                                   | --fix
fantomas           | --check                             |
fish_indent        | --check -c                          | --write
fourmolu           | --mode check                        | --mode inplace
fprettify          | --diff -d                           |
gci                | diff list                           | write
gdformat           | --check -c --diff -d                |
gersemi            | --check -c                          | --in-place
gleam format       | --check                             |
gofmt              | -l -d                               | -w
gofumpt            | -l -d                               | -w
goimports          | -l -d                               | -w
golangci-lint run  | *                                   | --fix
golines            | -l --list-files --dry-run           | -w
google-java-format | --dry-run -n --set-exit-if-changed  | --replace
gradle             | spotlessCheck                       | spotlessApply
gradle             | ktlintCheck                         | ktlintFormat
gradlew            | spotlessCheck                       | spotlessApply
gradlew            | ktlintCheck                         | ktlintFormat
isort              | --check --check-only -c --diff --df |
jsonnetfmt         | --test                              | -i
ktfmt              | --dry-run -n --set-exit-if-changed  |
ktlint             | *                                   | --format
markdownlint       | *                                   | --fix
markdownlint-cli2  | *                                   | --fix
mdformat           | --check                             |
meson format       | --check-only -q                     | --inplace
mix format         | --check-formatted --dry-run         |
mvn                | spotless:check                      | spotless:apply
mvn                | fmt:check                           | fmt:format
mvn                | formatter:validate                  | formatter:format
mvnw               | spotless:check                      | spotless:apply
mvnw               | fmt:check                           | fmt:format
mvnw               | formatter:validate                  | formatter:format
next lint          | *                                   | --fix
ng lint            | *                                   | --fix
nixfmt             | --check -c                          |
nixpkgs-fmt        | --check                             |
ocamlformat        | --check                             | --inplace
opa fmt            | --fail -l --list -d --diff          | -w
ormolu             | --mode check                        | --mode inplace
oxfmt              | --check                             |
oxlint             | *                                   | --fix
packer fmt         | -check                              |
perltidy           | --assert-tidy                       | -b
php-cs-fixer       | --dry-run --diff                    |
pint               | --test                              |
prettier           | --check -c -l --list-different      | --write
purs-tidy          | check                               | format-in-place
pycln              | --check -c --diff -d                |
pyproject-fmt      | --check                             |
rebar3 fmt         | --check                             |
rector process     | --dry-run -n                        |
reorder-python-imports | *                               |
rubocop            | *                                   | --autocorrect
ruff check         | *                                   | --fix
ruff format        | --check --diff                      |
rufo               | --check                             |
rumdl              | check                               | check --fix
rustfmt            | --check                             |
sbt                | scalafmtCheckAll                    | scalafmtAll
sbt                | scalafmtCheck                       | scalafmt
scalafmt           | --check --test --list               |
semistandard       | *                                   | --fix
shfmt              | --diff -d --list -l                 | -w
sort-package-json  | --check -c                          |
sqlfluff           | lint                                | fix
sqlfmt             | --check --diff                      |
ssort              | --check --diff                      |
standard           | *                                   | --fix
standardrb         | *                                   | --fix
stylelint          | *                                   | --fix
stylish-haskell    | --check                             | --inplace
stylua             | --check -c                          |
swift-format       | lint                                | format --in-place
swiftformat        | --lint --dryrun                     |
syntax_tree        | check                               | write
taplo fmt          | --check --diff                      |
taplo format       | --check --diff                      |
terraform fmt      | -check -check=true -diff            |
textlint           | *                                   | --fix
tofu fmt           | -check -check=true -diff            |
tombi format       | --check --diff                      |
toml-sort          | --check                             | --in-place
ufmt               | check diff                          | format
unimport           | --check --diff -c -d                | --remove
usort              | check diff                          | format
v fmt              | -verify -diff                       | -w
xo                 | *                                   | --fix
yamlfix            | --check                             |
yamlfmt            | -lint -dry                          |
yapf               | --diff -d --quiet -q                | --in-place
zig fmt            | --check                             |
"""


class CheckMode(NamedTuple):
    """`checks`: the words that make it a check, unless it `always` is one; `writes`: those that make it write."""

    checks: frozenset[str]
    writes: tuple[str, ...]
    always: bool


@lru_cache(maxsize=1)
def modes() -> dict[tuple[str, str], tuple[CheckMode, ...]]:
    """The modes by program and subcommand."""
    modes: dict[tuple[str, str], tuple[CheckMode, ...]] = {}
    for row in MODES.strip().splitlines():
        name, checks, writes = (part.strip() for part in row.split("|"))
        program, _, subcommand = name.partition(" ")
        always = checks == "*"
        words = frozenset() if always else frozenset(checks.split())
        key = program, subcommand
        modes[key] = (*modes.get(key, ()), CheckMode(words, tuple(writes.split()), always))
    return modes

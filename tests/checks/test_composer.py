"""Checks of PHP projects: a real Composer installs what they need through the network of set-up."""

import hashlib
import io
import json
import zipfile

import pytest

from healing.sandbox.network import RequestedConnection, SetupNetwork
from tests.checks.test_setup_network import asked, checker, found, network, seen
from tests.pipeline.bench import Bench
from tests.programs import needs
from tests.sandbox.test_network import NAME, Index, index

__all__ = ["asked", "index", "network"]

WORKFLOW = """
on: push
env: {{SSL_CERT_FILE: "${{{{ github.workspace }}}}/ci/certificate.pem"}}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: shivammathur/setup-php@v2
        with: {{php-version: '8.2'}}
      - run: {install}
      - run: {check}
"""
TEST = "<?php\nrequire __DIR__ . '/vendor/autoload.php';\nif (Acme\\Price::of(2) !== {price}) {{ exit(1); }}\n"
PRICE = b"<?php\nnamespace Acme;\nclass Price { public static function of(int $n): int { return $n * 2; } }\n"
AUTOLOAD = {"psr-4": {"Acme\\": "src/"}}


def package() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("price/composer.json", json.dumps({"name": "acme/price", "autoload": AUTOLOAD}))
        made.writestr("price/src/Price.php", PRICE)
    return packed.getvalue()


def publish(index: Index) -> None:
    """A package as Composer's index tells of it."""
    where, data = f"https://{NAME}:{index.port}", package()
    dist = {"type": "zip", "url": f"{where}/price.zip", "shasum": hashlib.sha1(data, usedforsecurity=False).hexdigest()}
    release = {"name": "acme/price", "version": "1.0.0", "type": "library", "dist": dist, "autoload": AUTOLOAD}
    index.pages["/packages.json"] = (
        b"application/json",
        json.dumps({"packages": {"acme/price": {"1.0.0": release}}}).encode(),
    )
    index.pages["/price.zip"] = (b"application/zip", data)


def project(index: Index, install: str, check: str, price: int) -> dict[str, str]:
    manifest = {
        "name": "acme/shop",
        "require": {"acme/price": "^1.0"},
        "repositories": [{"type": "composer", "url": f"https://{NAME}:{index.port}"}, {"packagist.org": False}],
        "scripts": {"test": "@php tests.php"},
    }
    return {
        ".github/workflows/ci.yml": WORKFLOW.format(install=install, check=check),
        "ci/certificate.pem": index.certificate,
        "composer.json": json.dumps(manifest),
        "tests.php": TEST.format(price=price),
    }


# ENV-2
@pytest.mark.parametrize("check", ["composer test", "php tests.php", "composer run-script test"])
async def test_composer_installs_what_the_check_needs(
    bench: Bench, index: Index, network: SetupNetwork, asked: list[RequestedConnection], check: str
) -> None:
    needs("composer", "composer")
    publish(index)
    right = project(index, "composer install --no-interaction --prefer-dist", check, 4)
    trees = bench.trees(right, {"tests.php": TEST.format(price=5)})
    for tree, green in zip(trees, (True, False), strict=True):
        one = found(bench, tree)
        result = await seen(checker(bench, tree, network), one, tree)
        assert not result.problem, result.problem
        assert result.green is green, result.output
    assert {(one.host, one.refused) for one in asked} == {(NAME, "")}

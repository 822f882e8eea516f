"""A certificate authority for one set-up step: lets Heal connect to an index that needs a login in that index's name.

An authority is created for one step and signs certificates only for the indexes named to it. Its keys are never written
to a disk.
"""

import ssl
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from healing.sandbox.temporary import memory_file

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.x509 import CertificateBuilder, KeyUsage

INSIDE = "/run/heal-authorities.pem"
# Where distributions keep the machine's CA bundle; the first existing file is used.
BUNDLES = (
    Path("/etc/ssl/certs/ca-certificates.crt"),
    Path("/etc/pki/tls/certs/ca-bundle.crt"),
    Path("/etc/ssl/ca-bundle.pem"),
    Path("/etc/ssl/cert.pem"),
)
# Variables by which pip, uv, requests, curl, git, npm, cargo and programs with OpenSSL find the CA bundle.
VARIABLES = (
    *("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS"),
    *("CARGO_HTTP_CAINFO", "npm_config_cafile"),
)
# These win even where a step names another file itself (`pip --cert`), so they are set only where necessary.
OVERRULING = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "npm_config_cafile")
OWN_NAME = "Heal's proxy"
LIFE = timedelta(days=2)  # longer than any step
SKEW = timedelta(hours=1)


class Authority:
    """Signs certificates for `hosts` only, which name constraints in its own certificate enforce."""

    def __init__(self, hosts: Iterable[str]) -> None:
        from cryptography import x509

        self._key = _new_key()
        hosts = sorted(set(hosts))
        builder = _new_builder(OWN_NAME, self._key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        constraints = x509.NameConstraints([x509.DNSName(host) for host in hosts], None)
        builder = builder.add_extension(constraints, critical=True).add_extension(_usage(vouches=True), critical=True)
        self._itself = self._signed(builder)
        self._contexts = {host: self._context(host) for host in hosts}

    def context(self, host: str) -> ssl.SSLContext:
        """The TLS context of a server that speaks as `host`. Raises KeyError for any other host."""
        return self._contexts[host]

    @property
    def certificate(self) -> bytes:
        """The authority's own certificate (PEM), for a step to trust."""
        return self._itself

    def _context(self, host: str) -> ssl.SSLContext:
        from cryptography import x509
        from cryptography.hazmat.primitives import serialization as form
        from cryptography.x509.oid import ExtendedKeyUsageOID

        key = _new_key()
        builder = _new_builder("index", key)  # the host name goes into the extension below, where any length fits
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        builder = builder.add_extension(_usage(vouches=False), critical=True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        with memory_file(self._signed(builder) + private) as fd:
            context.load_cert_chain(f"/proc/self/fd/{fd}")
        return context

    def _signed(self, begun: "CertificateBuilder") -> bytes:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.serialization import Encoding

        signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        return begun.add_extension(signer, critical=False).sign(self._key, hashes.SHA256()).public_bytes(Encoding.PEM)


def _new_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key

    return generate_private_key(SECP256R1())


def _new_builder(subject: str, key: "EllipticCurvePrivateKey") -> "CertificateBuilder":
    """A certificate builder for a certificate of this authority, valid from now on (by this machine's clock, which the
    step's tools use too)."""
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    now = datetime.now(UTC)
    subject_name, issuer = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in (subject, OWN_NAME))
    builder = x509.CertificateBuilder(issuer, subject_name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - SKEW).not_valid_after(now + LIFE)
    return builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)


def _usage(vouches: bool) -> "KeyUsage":
    from cryptography import x509

    no = {"content_commitment": False, "key_encipherment": False, "data_encipherment": False, "key_agreement": False}
    never = {"crl_sign": False, "encipher_only": False, "decipher_only": False}
    return x509.KeyUsage(digital_signature=not vouches, key_cert_sign=vouches, **no, **never)

"""Masks tokens that have a recognizable form: a row for each prefix that a service gives its tokens.

A row is (literals, pattern of what follows). The literal is searched for first, so a row costs next to nothing in text
without it. Lengths are mostly lower bounds, because services lengthen their tokens without notice.
"""

import re

from healing.logs.secrets.mask import MASK, is_example_token
from healing.logs.secrets.row_words import RowWords
from healing.patterns import LazyPattern

_ROWS: tuple[tuple[str, str], ...] = (
    # Code hosting. An installation token may be a JWT of 520 characters and more.
    ("ghp_ gho_ ghu_ ghs_ ghr_", r"[\w.-]{16,2000}"),
    ("github_pat_", r"\w{20,400}"),
    ("v1.", r"[0-9a-f]{40}(?![0-9a-f])"),
    (
        "glpat- glptt- glrt- glrtr- gldt- glft- glsoat- glcbt- glagent- glimt- gloas- glffct- glwt-",
        r"[\w.-]{18,400}",
    ),
    ("GR1348941", r"[\w-]{20,100}"),
    ("ATATT3 ATCTT3 ATBB ATOA", r"[\w=-]{20,400}"),
    # Clouds.
    ("AKIA", r"[A-Z2-7]{16}(?![A-Z0-9])"),
    ("AKIA ASIA AROA AIDA ABIA ACCA AGPA AIPA ANPA ANVA", r"(?=[A-Z]{0,15}[0-9])[A-Z0-9]{16}(?![A-Z0-9])"),
    ("A3T", r"[A-Z0-9]{17}(?![A-Z0-9])"),
    ("ABSK", r"[A-Za-z0-9+/]{80,300}={0,2}"),
    ("AIza", r"[\w-]{35}"),
    ("LTAI", r"[A-Za-z0-9]{12,26}(?![A-Za-z0-9])"),
    ("ya29. GOCSPX-", r"[\w-]{20,1000}"),
    ("1//0", r"[\w-]{40,200}"),
    ("doo_v1_ dop_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("hvs. hvb. hvr.", r"[\w-]{20,400}"),
    ("atlasv1.", r"[\w-]{30,200}"),
    ("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"[\w.-]{36,80}"),
    ("pul-", r"[0-9a-f]{40}"),
    ("dapi", r"[0-9a-fA-F]{32}(?:-\d)?"),
    ("sha256~", r"[\w-]{40,60}"),
    ("SWMTKN-1-", r"[a-z0-9-]{40,120}"),
    ("dckr_pat_ dckr_oat_", r"[\w-]{20,60}"),
    ("tskey-", r"[a-z]{2,12}-[A-Za-z0-9]{6,40}-[A-Za-z0-9]{10,60}"),
    ("HRKU- fo1_ fm1_ fm2_ rnd_", r"[\w+/=-]{30,1000}"),
    ("vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_", r"\w{20,80}"),
    ("nfp_ sbp_ napi_", r"[A-Za-z0-9]{36,80}"),
    ("pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w=.-]{30,80}"),
    ("AKCp", r"[A-Za-z0-9]{60,90}"),
    ("cmVmdGtu", r"[A-Za-z0-9]{50,70}"),
    ("dt0c01. dt0s01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    # AI models.
    ("sk-ant- sk-proj- sk-svcacct- sk-admin- sk-or-v1-", r"[\w-]{20,400}"),
    ("sk-", r"(?=[\w-]{0,40}[0-9])(?:[A-Za-z0-9]{32,100}(?![\w-])|[\w-]{0,100}T3BlbkFJ[\w-]{16,200})"),
    ("hf_ api_org_", r"[A-Za-z0-9]{30,60}"),
    ("r8_ gsk_ xai- pplx- fw_ tgp_v1_ jina_ nvapi- lsv2_pt_ lsv2_sk_", r"[\w-]{30,200}"),
    ("sgp_", r"(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    ("tvly-", r"(?:[a-z]{3,5}-)?[A-Za-z0-9]{24,60}"),
    ("fc-", r"[0-9a-f]{32}(?![0-9a-f])"),
    ("e2b_", r"[0-9a-f]{40}(?![0-9a-f])"),
    ("rpa_", r"[A-Z0-9]{40,60}"),
    # Messaging and payment.
    ("xoxa xoxb xoxc xoxd xoxe xoxo xoxp xoxr xoxs", r"(?:[-.][A-Za-z0-9.%]{1,300}){1,8}"),
    ("xapp-", r"\d-[A-Za-z0-9-]{10,300}"),
    ("sk_live_ sk_test_ rk_live_ rk_test_", r"[A-Za-z0-9]{24,255}"),
    # Many services call their keys so, without or with the word for an environment.
    ("sk_ sk1_", r"(?:[a-z]{2,8}_)?(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{24,100}(?!\w)"),
    ("whsec_", r"[A-Za-z0-9+/=]{20,100}"),
    ("SG.", r"[\w-]{16,40}\.[\w-]{30,60}"),
    ("xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("key-", r"[0-9a-f]{32}(?![0-9a-f])"),
    ("SK", r"(?=[0-9a-f]{0,30}[a-f])[0-9a-f]{32}(?![0-9a-f])"),
    ("shpat_ shpca_ shppa_ shpss_ shptka_ shpua_", r"[A-Za-z0-9]{32,64}"),
    ("sq0atp- sq0csp- sq0idp-", r"[\w-]{22,50}"),
    ("EAACEdEose0cBA EAAG EAAB EAAC", r"[A-Za-z0-9]{60,400}"),
    ("FLWSECK-", r"[\w-]{12,60}"),
    ("access-production- access-development- access-sandbox-", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    # A bearer token, in which the address' signs stand quoted.
    ("AAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{10,60}(?:%3D|=)[A-Za-z0-9%]{30,80}"),
    ("live_", r"\d{6,12}_[A-Za-z0-9]{30}(?!\w)"),
    ("syt_", r"[\w=-]{2,80}_[A-Za-z]{20}_\w{6}(?!\w)"),
    ("oauth:", r"[a-z0-9]{30}(?![a-z0-9])"),
    ("os_v2_", r"(?:app|org)_[a-z2-7]{60,120}"),
    ("sec-c-", r"[A-Za-z0-9=-]{36,60}"),
    ("shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    ("sl.", r"(?=[\w.-]{0,200}[0-9])(?:u\.)?[\w-]{100,2000}"),
    # Registries and developer tools.
    ("npm_", r"(?:[A-Za-z0-9]{30,100}|(?=\w{0,35}[0-9])(?=\w{0,35}[A-Z])\w{36}(?!\w))"),
    ("pypi-", r"[\w-]{50,1000}"),
    ("rubygems_", r"[0-9a-f]{40,64}"),
    ("cio", r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("CLOJARS_", r"[0-9a-f]{60}"),
    ("oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("bkua_", r"[0-9a-f]{40}"),
    ("CCIPAT_ CCIPRJ_", r"\w{20,120}"),
    ("sqp_ squ_ sqa_", r"[0-9a-f]{40}"),
    ("ntn_", r"\d{11}[A-Za-z0-9]{35}(?![A-Za-z0-9])"),
    ("lin_api_ lin_oauth_", r"\w{32,128}"),
    ("figd_ figu_ figoh_", r"[\w-]{30,60}"),
    ("PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("glc_ glsa_ sntrys_ sntryu_", r"[\w+/=-]{30,400}"),
    ("sdk- waka_", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("perm: perm-", r"[\w=-]{8,60}\.[\w=-]{1,60}\.[\w=-]{20,60}"),
    ("sk.eyJ tk.eyJ", r"[\w-]{20,400}\.[\w-]{20,60}"),
    ("chpt_", r"[0-9a-z]{12,40}(?!\w)"),
    ("depot_", r"(?:org|project|user)_[0-9a-f]{64}"),
    ("aio_", r"[A-Za-z0-9]{28}(?!\w)"),
    ("tr_prod_ tr_stg_ tr_dev_ tr_pat_", r"[A-Za-z0-9]{20,50}"),
    ("signkey-", r"[a-z]{3,10}-[0-9a-f]{32,64}"),
    ("secret-live- secret-test-", r"[\w=-]{36,60}"),
    ("ory_at_ ory_rt_ ory_pat_ ory_st_ ory_ac_", r"[\w.-]{20,120}"),
    ("zpka_", r"\w{32,60}"),
    ("cal_ cal_live_", r"[0-9a-f]{32}(?![0-9a-f])"),
    ("dnsimple_", r"[a-z]_[A-Za-z0-9]{30,40}"),
    ("APA91b", r"[\w-]{100,200}"),
    ("phx_", r"[A-Za-z0-9]{30,60}"),
    ("NRAK- NRJS- NRII- NRRA-", r"[\w-]{19,60}"),
    ("CFPAT-", r"[\w-]{43}"),
    ("ops_eyJ", r"[\w=-]{200,2000}"),
    ("AGE-SECRET-KEY-1 age-secret-key-1", r"[A-Za-z0-9]{58}"),
    ("rdme_ pnu_ tfp_ ico-", r"[\w.-]{32,90}"),
    ("pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("pat-", r"[a-z]{2}\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("access_token$", r"(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    ("tk_", r"[a-z0-9]{29}(?![a-z0-9])"),
    ("0x", r"(?!0{24})[0-9a-fA-F]{64}(?![0-9a-fA-F])"),
    ("nsec1 ncryptsec1 suiprivkey1", r"[a-z0-9]{56,160}(?![a-z0-9])"),
    ("edsk", r"[A-Za-z0-9]{50,100}(?![A-Za-z0-9])"),
    # The private key of a wallet, from which all its keys are derived.
    ("xprv yprv zprv tprv uprv vprv dgpv Ltpv Mtpv", r"[A-Za-z0-9]{100,112}(?![A-Za-z0-9])"),
    # What logs in to Amazon's registry of containers: the start of JSON with a payload, and of a user and a password.
    ("eyJwYXlsb2Fk QVdTOmV5", r"[A-Za-z0-9+/=]{200,8000}"),
    # JSON Web Tokens, signed and encrypted.
    ("eyJ", r"[\w-]{8,4000}\.(?:eyJ[\w-]{4,8000}(?:\.[\w-]{0,2000})?|[\w-]{0,1000}(?:\.[\w-]{8,8000}){2,3})"),
)
# The sign between the parts of a password's hash. Compose files double it, and a shell needs a backslash before it.
_D = r"(?:\\{0,2}\$){1,2}"
# Forms whose literal is not at the start.
_UNPREFIXED = (
    (":AA", LazyPattern(r"(?:(?<!\w)|(?<=/bot))\d{8,10}:AA[\w-]{33}(?![\w-])", re.ASCII)),
    (".", LazyPattern(r"[MNO](?<![\w.][MNO])[A-Za-z\d]{23,27}\.[\w-]{6}\.[\w-]{27,45}(?![\w-])", re.ASCII)),
    # An Azure account's key, and any other 64 bytes in base64.
    ("==", LazyPattern(r"(?<![\w+/=-])[A-Za-z0-9+/]{86}==(?!=)", re.ASCII)),
    ("8Q~", LazyPattern(r"(?<![\w~.-])[\w~.-]{3}8Q~[\w.~-]{31,40}", re.ASCII)),
    (
        "$",
        LazyPattern(
            rf"\$(?:(?:[156]|apr1){_D}(?:rounds=\d{{1,9}}{_D})?[\w./]{{1,16}}{_D}[\w./]{{22,86}}"
            rf"|2[abxy]{_D}\d\d{_D}[\w./]{{53}}|(?:y|gy|7){_D}[\w./]{{1,20}}{_D}[\w./]{{1,90}}{_D}[\w./]{{40,90}}"
            rf"|[PH]{_D}[\w./]{{31}}(?![\w./])"
            rf"|argon2(?:id|i|d){_D}v=\d{{1,3}}{_D}[mtp\d,=]{{5,40}}{_D}[\w+/]{{8,90}}{_D}[\w+/]{{20,200}})"
        ),
    ),
    ("grub.pbkdf2.", LazyPattern(r"grub\.pbkdf2\.sha512\.\d{1,9}\.[0-9A-F]{16,256}\.[0-9A-F]{64,256}")),
    ("pbkdf2", LazyPattern(rf"pbkdf2[_:]sha\d{{1,3}}(?:{_D}|:)\d{{3,9}}{_D}[\w./+=-]{{1,60}}{_D}[\w+/=]{{32,200}}")),
    ("scrypt:", LazyPattern(rf"scrypt:\d{{1,9}}:\d{{1,3}}:\d{{1,3}}{_D}[\w./+=-]{{1,60}}{_D}[\w+/=]{{64,300}}")),
    (
        "SCRAM-SHA-",
        LazyPattern(rf"SCRAM-SHA-\d{{1,3}}{_D}\d{{3,9}}:[\w+/=]{{8,60}}{_D}[\w+/=]{{20,100}}(?::[\w+/=]{{20,100}})?"),
    ),
    ("NRAL", LazyPattern(r"(?<!\w)[0-9a-zA-Z]{6}[0-9a-fA-F]{30}NRAL(?!\w)")),
    # A token of a feature flag service: project, environment and a hash.
    # The pattern begins with the colon, because `re` finds that far faster than any word with a colon behind it.
    (":", LazyPattern(r":(?<=[\w*-]:)[\w-]{1,40}\.[0-9a-f]{56,64}(?![\w])")),
    ("-us", LazyPattern(r"(?<![0-9a-f])[0-9a-f]{32}+-us\d{1,2}(?!\d)")),
)


def _prefixed(literal: str, rest: str) -> LazyPattern:
    r"""The pattern of a token: `literal`, then `rest`. No letter may come before it, except that of an escape like
    `\n`; no digit either if the literal has letters only. This is a look-behind after the literal, so that `re` can
    search for the literal as plain text."""
    escaped = re.escape(literal)
    others = "A-Za-z0-9" if literal.isalnum() else "A-Za-z"
    return LazyPattern(rf"{escaped}(?:(?<![{others}]{escaped})|(?<=\\[nrt]{escaped})){rest}", re.ASCII)


# Marks a password hash in a manual or a test, which protects nothing.
_EXAMPLE = re.compile(r"\bexample\b|\bassert|\bexpect\(|\bshould\b", re.IGNORECASE)
# A blockchain's hashes have the form of its private keys. They are recognized by the word before them.
_BLOCKCHAIN_HASH = re.compile(
    r"(?i:hash|txn?|transaction|block|root|parent|topics?|digest|state|receipt|role|slot)[\w\"']{0,3}[ :=(,\[\"']{1,4}$"
)
_PROJECT = re.compile(r"(?:^|[^\w.:/-])(?:\*|[\w-]{1,60})$")  # not the last part of an address or a path
_SHAPES = (*((one, _prefixed(one, rest)) for literals, rest in _ROWS for one in literals.split()), *_UNPREFIXED)
_LITERALS = RowWords([literal] for literal, _ in _SHAPES)
_LONG_WORD = re.compile(r"[\w.~+/=:$-]{20,}")  # no token is shorter, and most words of a text are


def mask_shapes(text: str) -> str:
    """`text` without tokens of a known form. Examples such as `ghp_xxxxxxxx…` stay."""
    long_words = " ".join(_LONG_WORD.findall(text))
    if not long_words:
        return text
    for index in _LITERALS.rows_for(long_words):
        text = _SHAPES[index][1].compiled.sub(_masked, text)
    return text


def _masked(match: re.Match[str]) -> str:
    if match[0].startswith(":"):
        before = match.string[max(0, match.start() - 61) : match.start()]
        return f":{MASK}" if _PROJECT.search(before) else match[0]
    if match[0].startswith("$"):
        line = match.string[max(0, match.string.rfind("\n", 0, match.start()), match.start() - 200) : match.start()]
        return match[0] if _EXAMPLE.search(line) else MASK
    if match[0].startswith("0x") and _BLOCKCHAIN_HASH.search(match.string[max(0, match.start() - 24) : match.start()]):
        return match[0]
    return match[0] if is_example_token(match[0]) else MASK

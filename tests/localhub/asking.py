"""GitHub's published descriptions as a judge of what Heal sends: path, query, headers and body of every REST request,
query and variables of every GraphQL one."""

import gzip
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import jsonschema_rs
from graphql import DocumentNode, GraphQLSchema, Source, build_schema, parse, validate
from graphql.execution import get_variable_values

from lab.localhub.faults import RecordedRequest
from tests.localhub.contract import description

SCHEMA = Path(__file__).with_name("graphql.gz")
VERSIONS = ("2022-11-28", "2026-03-10")
REST, GRAPHQL = "/api/v3", "/api/graphql"


def objections(log: Iterable[RecordedRequest]) -> list[str]:
    """What GitHub's descriptions have against the requests of an App; people's own (pages, git) are not judged."""
    found = [text for seen in log if _of_an_app(seen) for text in of_request(seen)]
    return list(dict.fromkeys(found))


def _of_an_app(seen: RecordedRequest) -> bool:
    authorization = seen.headers.get("authorization", "")
    person = authorization.startswith("Bearer ghu_")  # somebody who signed in to the dashboard
    of_app = authorization.startswith(("Bearer ", "token ghs_")) and not person
    return seen.path.startswith((f"{REST}/", GRAPHQL)) and of_app


def of_request(seen: RecordedRequest) -> list[str]:
    """What is wrong with one request."""
    where = f"{seen.method} {seen.path}"
    if seen.path == GRAPHQL:
        return [f"{where}: {text}" for text in (*_headers(seen), *_graphql(seen))]
    operation = _operation(seen)
    if operation is None:
        return [f"{where}: GitHub has no such operation"]
    name, values = operation
    taken = description()["requests"][name]
    wrong = (*_headers(seen), *_path(taken, values), *_query(taken, seen.query), *_body(name, taken, seen))
    return [f"{where}: {text}" for text in wrong]


@cache
def _operations() -> list[tuple[str, re.Pattern[str], str]]:
    """(method, pattern, operation), those with the most fixed text first. Paths and names of refs may have slashes."""
    found = []
    for name in description()["requests"]:
        method, _, path = name.partition(" ")
        pattern = re.sub(
            r"\\\{(\w+)\\\}",
            lambda m: f"(?P<{m[1]}>{'.*' if m[1] in ('path', 'ref', 'branch', 'basehead') else '[^/]+'})",
            re.escape(path),
        )
        found.append((method, re.compile(REST + pattern), name))
    return sorted(found, key=lambda entry: -len(re.sub(r"\{\w+\}", "", entry[2])))


def _operation(seen: RecordedRequest) -> tuple[str, dict[str, str]] | None:
    path = seen.path + "/" if seen.path.endswith("/contents") else seen.path
    for method, pattern, name in _operations():
        if method == seen.method and (match := pattern.fullmatch(path)):
            return name, match.groupdict()
    return None


def _headers(seen: RecordedRequest) -> Iterable[str]:
    sent = seen.headers
    if "application/vnd.github" not in sent.get("accept", ""):
        yield f"accepts {sent.get('accept')!r}, not application/vnd.github+json"
    if "heal" not in sent.get("user-agent", "").lower():
        yield f"the user agent is {sent.get('user-agent')!r}; GitHub wants the App's name"
    if seen.path != GRAPHQL and sent.get("x-github-api-version") not in VERSIONS:
        yield f"asks for version {sent.get('x-github-api-version')!r}"
    if seen.body and not sent.get("content-type", "").startswith("application/json"):
        yield f"the body is {sent.get('content-type')!r}"


def _path(taken: dict[str, Any], values: dict[str, str]) -> Iterable[str]:
    for name, value in values.items():
        if taken["path"].get(name, {}).get("type") == "integer" and not value.isdecimal():
            yield f"{name} is {value!r}, not a number"


def _query(taken: dict[str, Any], query: str) -> Iterable[str]:
    sent = dict(parse_qsl(query, keep_blank_values=True))
    yield from (f"{name} is missing in the query" for name in taken["needed"] if name not in sent)
    for name, value in sent.items():
        schema = taken["query"].get(name)
        if schema is None:
            yield f"the query's {name} is no parameter"
        elif not _valid(schema, _read(schema, value)):
            yield f"the query's {name}={value!r} is not {schema}"
        if name == "per_page" and not 1 <= int(value) <= 100:
            yield f"per_page={value} is not 1 to 100"


def _read(schema: dict[str, Any], value: str) -> Any:
    """A query's text as the type that it stands for."""
    kind = schema.get("type")
    if kind == "integer" and value.lstrip("-").isdecimal():
        return int(value)
    return {"true": True, "false": False}.get(value, value) if kind == "boolean" else value


def _valid(schema: dict[str, Any], value: Any) -> bool:
    return bool(_judge_of(json.dumps(schema)).is_valid(value))


@cache
def _judge_of(schema: str) -> Any:
    """Made once for each schema: with all of GitHub's others beside it that takes 30 ms."""
    return jsonschema_rs.Draft202012Validator({**json.loads(schema), "schemas": description()["schemas"]})


def _body(name: str, taken: dict[str, Any], seen: RecordedRequest) -> Iterable[str]:
    if taken["body"] is None:
        if seen.body:
            yield f"has a body that nobody reads: {seen.body[:80]!r}"
        return
    if not seen.body:
        if taken["body_needed"]:
            yield "the body is missing"
        return
    value = json.loads(seen.body)
    for error in _judge(name).iter_errors(value):
        yield f"body: {'/'.join(map(str, error.instance_path))}: {error.message[:300]}"
    yield from _unknown(taken["body"], value, "body")


@cache
def _judge(name: str) -> Any:
    return _judge_of(json.dumps(description()["requests"][name]["body"]))


def _unknown(schema: dict[str, Any], value: Any, at: str) -> Iterable[str]:
    """Fields that GitHub would silently ignore, so that nobody believes that they do something."""
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _unknown(schema["items"], item, f"{at}/{index}")
    known = schema.get("properties")
    if not isinstance(value, dict) or known is None or any(key in schema for key in ("anyOf", "oneOf", "allOf")):
        return
    for name, item in value.items():
        if name in known:
            yield from _unknown(known[name], item, f"{at}/{name}")
        elif schema.get("additionalProperties") is not True:
            yield f"{at}: {name} is no field"


@cache
def schema() -> GraphQLSchema:
    """GitHub's published schema; it takes two seconds to build."""
    return build_schema(gzip.decompress(SCHEMA.read_bytes()).decode(), assume_valid=True, assume_valid_sdl=True)


@cache
def _document(query: str) -> tuple[DocumentNode, tuple[str, ...]]:
    """A query as it is read, and what is wrong with it."""
    document = parse(Source(query))
    return document, tuple(error.message for error in validate(schema(), document))


def _graphql(seen: RecordedRequest) -> Iterable[str]:
    sent = json.loads(seen.body)
    document, wrong = _document(sent["query"])
    yield from wrong
    if wrong:
        return
    (operation,) = document.definitions
    values = get_variable_values(schema(), operation.variable_definitions or (), sent.get("variables") or {})  # type: ignore[attr-defined]
    if isinstance(values, list):
        yield from (error.message for error in values)

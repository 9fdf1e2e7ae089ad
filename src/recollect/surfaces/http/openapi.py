"""The HTTP API as an OpenAPI 3.1 document, made from the table of tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from recollect import __version__
from recollect.surfaces.tools import Schema, Tool

Json = dict[str, Any]

_ERRORS = {
    "400": "The call is wrong; the hint says what is right.",
    "401": "The token is missing or wrong.",
    "403": "A page of another origin, or a cookie without the word that goes with it.",
    "404": "There is no such thing.",
    "408": "The request did not arrive in time.",
    "409": "It changed meanwhile, or is of a newer version.",
    "413": "The request is too large.",
    "415": "The body is not JSON.",
    "421": "The host is not served here.",
    "422": "Something that was given cannot be used.",
    "429": "The client asks too often; Retry-After says when to ask again.",
    "431": "There are too many headers.",
    "500": "A bug, or a store that cannot do it.",
    "503": "Busy, or a model is missing.",
    "504": "It took too long and was stopped.",
}


def document(tools: Iterable[Tool]) -> Json:
    paths: Json = {f"/api/{tool.name}": _tool(tool) for tool in tools}
    paths["/healthz"] = {"get": _open("healthz", "Whether the process answers")}
    paths["/readyz"] = {"get": _open("readyz", "Whether the store does")}
    about = (
        "The tools of recollect over HTTP: the arguments of the library's methods in, the JSON of "
        "what they return out. What only reads may be asked for with GET, where a list is a "
        "parameter that is repeated. `cursor` of one page asks for the next. Types are told here; "
        "what a number or a date may be is told by the error of one that may not."
    )
    error = {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["type", "message", "hint"],
                "properties": {name: {"type": "string"} for name in ("type", "message", "hint")},
            }
        },
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "recollect", "version": __version__, "description": about},
        "paths": paths,
        "security": [{"token": []}],
        "components": {
            "schemas": {"Error": error},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _tool(tool: Tool) -> Json:
    about = {"summary": tool.title, "description": tool.description, "tags": ["tools"]}
    answers = _answers(tool.has)
    body = {"required": bool(tool.required), "content": _json(_nullable(tool))}
    made: Json = {
        "post": {"operationId": tool.name, **about, "requestBody": body, "responses": answers}
    }
    if not tool.writes:
        parameters = [_parameter(name, schema, tool) for name, schema in tool.properties.items()]
        made["get"] = {
            "operationId": f"get_{tool.name}",
            **about,
            "parameters": parameters,
            "responses": answers,
        }
    return made


def _nullable(tool: Tool) -> Json:
    """The arguments of a tool, in which null is as good as nothing."""
    optional = {
        name: {**one, "type": [one["type"], "null"]}
        | ({"enum": [*one["enum"], None]} if "enum" in one else {})
        for name, one in tool.properties.items()
        if name not in tool.required
    }
    return {**tool.schema, "properties": {**tool.properties, **optional}}


def _parameter(name: str, schema: Schema, tool: Tool) -> Json:
    made: Json = {
        "name": name,
        "in": "query",
        "required": name in tool.required,
        "schema": dict(schema),
    }
    return {**made, "explode": True} if schema["type"] == "array" else made


def _open(name: str, about: str) -> Json:
    answers = _answers(("status",))
    kept = {
        code: answers[code] for code in ("200", "403", "421", "429", "431", "500", "503", "504")
    }
    return {"operationId": name, "summary": about, "responses": kept, "security": []}


def _answers(has: tuple[str, ...]) -> Json:
    good = {"type": "object", "required": list(has)}
    error = {"$ref": "#/components/schemas/Error"}
    return {
        "200": {"description": "What the library returned.", "content": _json(good)},
        **{code: {"description": said, "content": _json(error)} for code, said in _ERRORS.items()},
    }


def _json(schema: Mapping[str, Any]) -> Json:
    return {"application/json": {"schema": dict(schema)}}

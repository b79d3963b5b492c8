"""A reader of the few JSON Schema words that docs/schema/ uses; no package needed."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[3] / "docs" / "schema"
TYPES = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list,
    "null": type(None),
}  # fmt: skip


def schema(name: str) -> dict[str, Any]:
    """``docs/schema/NAME.schema.json``."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return loaded


def problems(value: Any, name: str) -> list[str]:
    """What in ``value`` the named schema does not allow; empty when it fits."""
    root = schema(name)
    return list(_problems(value, root, root, "$"))


def _problems(value: Any, rule: dict[str, Any], root: dict[str, Any], where: str) -> list[str]:
    if "$ref" in rule:
        rule, root = _resolved(rule["$ref"], root)
    found: list[str] = []
    for part in rule.get("allOf", ()):
        found += _problems(value, part, root, where)
    if "oneOf" in rule and sum(not _problems(value, part, root, where) for part in rule["oneOf"]) != 1:
        found.append(f"{where} fits none of its forms")
    if "const" in rule and value != rule["const"]:
        found.append(f"{where} is not {rule['const']!r}")
    if "enum" in rule and value not in rule["enum"]:
        found.append(f"{where} is none of {rule['enum']}")
    if "type" in rule and not _is(value, rule["type"]):
        return [*found, f"{where} is no {rule['type']}"]
    if isinstance(value, dict):
        found += [f"{where}.{key} is missing" for key in rule.get("required", ()) if key not in value]
        for key, item in value.items():
            inner = rule.get("properties", {}).get(key) or rule.get("additionalProperties")
            if inner:
                found += _problems(item, inner, root, f"{where}.{key}")
    if isinstance(value, list) and "items" in rule:
        for i, item in enumerate(value):
            found += _problems(item, rule["items"], root, f"{where}[{i}]")
    return found


def _is(value: Any, wanted: str | list[str]) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, TYPES[name]) for name in names)  # type: ignore[arg-type]


def _resolved(reference: str, root: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    file, _, pointer = reference.partition("#/")
    target = schema(file.removesuffix(".schema.json")) if file else root
    rule = target
    for step in pointer.split("/"):
        rule = rule[step]
    return rule, target

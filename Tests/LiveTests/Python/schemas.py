"""Holds every scenario, policy and profile against the JSON Schema of its kind.

`schemas.py FOLDER` expects `KIND.json` there for each kind; it prints a line for each file that does
not fit, and for each slip of the pen that fits although it should not.
"""

import copy
import glob
import json
import sys

import jsonschema
import yaml

FILES = {
    "scenario": "scenarios/*.yaml", "policy": "scenarios/policies/*.yaml",
    "os": "scenarios/profiles/os/*.yaml",
    "significant-change": "scenarios/profiles/significant-change/*.yaml",
    "energy": "scenarios/profiles/energy/*.yaml", "people": "scenarios/people/*.yaml",
    "sensors": "scenarios/profiles/sensors/*.yaml",
}


class Loader(yaml.SafeLoader):
    """YAML 1.2's two booleans, as editors and libyaml's users here have it; dates are words."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers
            if tag not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", __import__("re").compile("^(true|false)$"), list("tf"))


def slips(document):
    """The same with a key nobody knows, at each map of the first two levels."""
    places = [()] + [(key,) for key, value in document.items() if isinstance(value, dict)]
    for place in places:
        wrong = copy.deepcopy(document)
        inner = wrong
        for key in place:
            inner = inner[key]
        inner["nobodyKnowsThis"] = 1
        yield ".".join(place) or "top", wrong


count = 0
for kind, pattern in FILES.items():
    with open(f"{sys.argv[1]}/{kind}.json") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted(glob.glob(pattern)):
        with open(path) as file:
            document = yaml.load(file, Loader)
        count += 1
        for error in validator.iter_errors(document):
            sys.stdout.write(f"{path}: {'/'.join(map(str, error.path))}: {error.message[:200]}\n")
        for place, wrong in slips(document):
            if validator.is_valid(wrong):
                sys.stdout.write(f"{path}: an unknown key in {place} is not noticed\n")
sys.stdout.write(f"{count} files\n")

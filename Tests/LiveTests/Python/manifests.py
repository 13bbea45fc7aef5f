"""Checks a Kubernetes manifest against the schemas of Kubernetes, strictly.

Prints the command of each container as a line of JSON. What a pod template holds is checked as a
Pod where the manifest is of a kind that Kubernetes itself does not have.
"""

import json
import sys

import kubernetes_validate
import yaml

RELEASES = ["1.25", "1.37"]


def templates(node):
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "template" and "spec" in value:
                yield value
            else:
                yield from templates(value)
    elif isinstance(node, list):
        for value in node:
            yield from templates(value)


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        manifest = yaml.safe_load(file)
    pods = list(templates(manifest))
    for release in RELEASES:
        if manifest["apiVersion"] == "batch/v1":
            kubernetes_validate.validate(manifest, release, strict=True)
        for pod in pods:
            whole = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, **pod}
            kubernetes_validate.validate(whole, release, strict=True)
    for pod in pods:
        for container in pod["spec"]["containers"]:
            print(json.dumps(container["command"] + container["args"]))

"""Checks Kubernetes manifests against the schemas of Kubernetes, strictly.

Prints each container as a line of JSON: its image, the command with its arguments, and the variables.
What a pod template holds is checked as a Pod where the manifest is of a kind that Kubernetes itself
does not have.
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
        manifests = list(yaml.safe_load_all(file))
    for manifest in manifests:
        pods = list(templates(manifest))
        for release in RELEASES:
            if "kubeflow" not in manifest["apiVersion"]:
                kubernetes_validate.validate(manifest, release, strict=True)
            for pod in pods:
                metadata = {"name": "pod", **pod.get("metadata", {})}
                whole = {"apiVersion": "v1", "kind": "Pod", **pod, "metadata": metadata}
                kubernetes_validate.validate(whole, release, strict=True)
        for pod in pods:
            for container in pod["spec"]["containers"]:
                probes = [container[key] for key in container if key.endswith("Probe")]
                facts = {
                    "image": container["image"],
                    "command": container.get("command", []) + container["args"],
                    "environment": {e["name"]: e["value"] for e in container.get("env", [])},
                    "probes": [probe["exec"]["command"] for probe in probes],
                }
                print(json.dumps(facts))

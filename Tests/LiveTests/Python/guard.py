"""Runs the table of Tests/LiveTests/Guard/runs.txt and compares what comes out.

    guard.py PROGRAM [--write] [--only WORD] [--jobs N]

A change of shape must leave every line as it is. A line holds the run's arguments, both digests, a
hash of `run.json` (without the blocks `command`, `machine` and `timing`, and without the scenario's
text, to which keys may be added) and one of `timeline.csv`; of a comparison one for each policy; of
`explain` and `demand` a hash of what they print. `--write` writes the table anew.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE.parent / "Guard" / "runs.txt"
SCENARIOS = HERE.parent.parent.parent / "scenarios"
LEFT_OUT = ("command", "machine", "timing")


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def record_hash(text):
    """Of the bytes that lie in no block that differs from run to run."""
    kept, skips = [], False
    for line in text.split("\n"):
        if line.startswith('  "') or line == "}":
            skips = any(line.startswith(f'  "{name}" :') for name in LEFT_OUT)
        if not skips and not line.startswith('    "text" :'):
            kept.append(line)
    return digest("\n".join(kept).encode())


def folder_line(folder):
    text = (folder / "run.json").read_text()
    digests = json.loads(text)["digest"]
    timeline = digest((folder / "timeline.csv").read_bytes())
    return f"{digests['plan']} {digests['history']} {record_hash(text)} {timeline}"


def run(program, line):
    with tempfile.TemporaryDirectory() as scratch:
        arguments = shlex.split(line)
        out = pathlib.Path(scratch) / "run"
        command = [program, *arguments, "--scenarios", str(SCENARIOS)]
        if arguments[0] == "simulate":
            command += ["--out", str(out), "--quiet", "--set", "run.threads=1"]
        ended = subprocess.run(
            command, cwd=SCENARIOS.parent, capture_output=True, timeout=600, check=False)
        if ended.returncode not in (0, 99):
            return f"exit {ended.returncode}: {ended.stderr.decode()[-300:]}"
        if arguments[0] != "simulate":
            return digest(ended.stdout)
        if (out / "run.json").exists():
            return folder_line(out)
        runs = sorted(p.parent for p in out.glob("*/run.json"))
        return " | ".join(f"{r.name} {folder_line(r)}" for r in runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    rows = []
    for text in TABLE.read_text().splitlines():
        if text and not text.startswith("#"):
            line, _, wanted = text.partition(" => ")
            rows.append((text, line.strip(), wanted.strip()))
    chosen = [row for row in rows if options.only in row[1]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = dict(zip((row[1] for row in chosen),
                         pool.map(lambda row: run(options.program, row[1]), chosen)))
    if options.write:
        lines = []
        for text in TABLE.read_text().splitlines():
            line = text.partition(" => ")[0].strip()
            lines.append(f"{line} => {found[line]}" if line in found else text)
        TABLE.write_text("\n".join(lines) + "\n")
    differing = [row for row in chosen if found[row[1]] != row[2]]
    for _, line, wanted in differing:
        print(f"DIFFERS {line}\n  table {wanted}\n  now   {found[line]}")
    print(f"{len(chosen)} runs, {len(differing)} differ")
    return 1 if differing and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())

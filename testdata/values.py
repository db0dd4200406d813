#!/usr/bin/env python3
"""Writes values/expect.json: what `go tool pprof` says of the profiles there.

    python3 values.py go1.27.3

For each proto and sample type the total and, for each function, its own and its cumulative value;
for each text the values of every record. Addresses without a name are left out.
"""
import json
import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent / "values"


def pprof(*arguments):
    command = [sys.argv[1], "tool", "pprof", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def raw(path):
    """Sample types, and the values of every sample."""
    lines = pprof("-raw", path).splitlines()
    lines = lines[lines.index("Samples:") + 1 : lines.index("Locations")]
    types = [re.sub(r"\[dflt\]$", "", kind) for kind in lines[0].split()]
    rows = [line.split(":")[0].split() for line in lines[1:] if re.match(r" +-?\d+( +-?\d+)*: ", line)]
    return types, [[int(value) for value in row] for row in rows]


def top(path, kind, unit):
    text = pprof(
        "-top", "-nodecount=100000", "-nodefraction=0", "-sample_index", kind, "-unit", unit, path
    )
    rows = {}
    for line in text[text.index("flat%") :].splitlines()[1:]:
        flat, _, _, cum, _, name = line.split(None, 5)
        name = re.sub(r" \((partial-)?inline\)$", "", name)
        if name != "<unknown>" and not name.startswith("["):
            rows[name] = [int(re.sub(r"[a-zA-Z]+$", "", number)) for number in (flat, cum)]
    return rows


expect = {}
for path in sorted(FOLDER.iterdir()):
    if path.name.endswith(".pb.gz"):
        types, samples = raw(path)
        expect[path.name] = {
            kind: {
                "total": sum(sample[at] for sample in samples),
                "functions": top(path, *kind.rsplit("/", 1)),
            }
            for at, kind in enumerate(types)
        }
    elif path.name.endswith(".txt"):
        try:
            types, samples = raw(path)
        except subprocess.CalledProcessError:
            continue  # pprof refuses threads without a stack
        expect[path.name] = {"types": types, "records": samples}
(FOLDER / "expect.json").write_text(json.dumps(expect, indent=1) + "\n")

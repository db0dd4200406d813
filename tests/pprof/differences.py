#!/usr/bin/env python3
"""Compares differences of profiles with those of `go tool pprof -base`: what `stackgazer diff` says of
functions, what `summarize` says of the file that `export -o pprof --base` writes, and the shares
that `export -o dot` shows with --base and --diff-base.

    tests/pprof/differences.py                compare all pairs of testdata/profiles
    tests/pprof/differences.py OLD NEW ...    compare other pairs

PPROF and STACKGAZER name other programs. tests/integration/kinds.rs checks the same without a go.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PPROF = shlex.split(os.environ.get("PPROF", "go tool pprof"))
STACKGAZER = os.environ.get("STACKGAZER") or str(ROOT / "target/debug/stackgazer")
OPTIONS = ["", "normalize", "focus=main", "ignore=runtime", "sample_index=0", "normalize sample_index=0"]
# The share of a box: `(1.23%)` behind its value.
SHARE = re.compile(r"\(([0-9.e-]+)%\)")


def main():
    given = sys.argv[1:]
    pairs = list(zip(given[::2], given[1::2])) or [
        (str(path), str(path).replace(".1.", ".2."))
        for path in sorted((ROOT / "testdata/profiles").glob("*.1.pb.gz"))
    ]
    same, wrong = 0, []
    for old, new in pairs:
        for options in OPTIONS:
            said = top(old, new, options)
            for name, shown in (("diff", diff(old, new, options)), ("export", export(old, new, options))):
                if shown is None:
                    continue
                if shown == said:
                    same += 1
                else:
                    wrong.append((name, new, options, difference(said, shown)))
        for base in ("base", "diff_base"):
            said, shown = boxes(old, new, base)
            if shown == said:
                same += 1
            else:
                wrong.append(("dot", new, base, difference(said, shown)))
    for case in wrong:
        print(*case)
    print(f"{same} answers are the same, {len(wrong)} differ")
    sys.exit(bool(wrong))


def typed(options, dashes):
    return [dashes + word for word in options.split()]


def top(old, new, options):
    """Flat and cum by function, in the unit of the values."""
    text = run([*PPROF, "-raw", new])
    types = re.search(r"^Samples:\n(.*)$", text, re.M).group(1).split()
    default = next((name for name in types if name.endswith("[dflt]")), types[-1])
    unit = (types[0] if "sample_index=0" in options else default).removesuffix("[dflt]").split("/")[1]
    text = run([*PPROF, "-top", "-symbolize=none", "-nodefraction=0", f"-unit={unit}", *typed(options, "-"), f"-base={old}", new])
    rows = {}
    for line in text.split("cum%\n", 1)[1].splitlines():
        flat, _, _, cum, _, name = line.split(None, 5)
        add(rows, re.sub(r" \((partial-)?inline\)$", "", name), number(flat), number(cum))
    return rows


def diff(old, new, options):
    text = run([STACKGAZER, "diff", "--no-config", "--by=function", "-o", "json", *typed(options, "--"), old, new])
    document = json.loads(text)
    if "scale" in document:
        # Rounded as a whole here, sample by sample there.
        return None
    rows = {}
    for row in document["rows"]:
        of = lambda name: row[name][1] - row[name][0]
        if of("flat") or of("counts"):
            add(rows, name_of(row), of("flat"), of("counts"))
    return rows


def export(old, new, options):
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out.pb.gz")
        others = [word for word in options.split() if word != "normalize"]
        normalize = ["--normalize"] if "normalize" in options else []
        run([STACKGAZER, "export", "--no-config", "-o", "pprof", "--to", out, *normalize, "--base", old, new])
        text = run([STACKGAZER, "summarize", "--no-config", "--functions", "-o", "json", *typed(" ".join(others), "--"), out])
    rows = {}
    for row in json.loads(text)["rows"]:
        add(rows, name_of(row), row["flat"], row["cum"])
    return rows


def boxes(old, new, base):
    """The shares of the functions that both draw, in no order."""
    limits = ["-nodefraction=0", "-edgefraction=0", "-nodecount=10000"]
    said = run([*PPROF, "-dot", "-symbolize=none", *limits, f"-{base}={old}", new])
    said = {lines(label): share(label) for label in re.findall(r'^N\d+ \[label="(.*?)" id=', said, re.M)}
    shown = run([STACKGAZER, "export", "--no-config", "-o", "dot", "-n", "10000", f"--{base}", old, new])
    shown = {lines(label): share(label) for label in re.findall(r'^  f\d+ \[label="(.*?)", tooltip', shown, re.M)}
    both = said.keys() & shown.keys()
    # One digit behind the point is shown here.
    near = {name: said[name] if abs(said[name] - shown[name]) < 0.06 else shown[name] for name in both}
    return {name: said[name] for name in both}, near


def lines(label):
    """The name of a box without its numbers."""
    parts = re.split(r"\\n", label.replace("\\l", "\\n"))
    return ".".join(part for part in parts if part and not re.search(r"%\)|^0 of|^0$", part))


def share(label):
    """The last share of a box: that of its cum."""
    found = SHARE.findall(label)
    return float(found[-1]) if found else 0.0


def add(rows, name, flat, cum):
    name = "<unknown>" if re.fullmatch("0x[0-9a-f]+", name) else name
    known = rows.get(name, (0, 0))
    rows[name] = (known[0] + flat, known[1] + cum if name != "<unknown>" else cum)


def name_of(row):
    return row["function"] or "<unknown>"


def number(text):
    return int(re.sub("[^0-9-]", "", text.split(".")[0]))


def difference(said, shown):
    for name in sorted(said.keys() | shown.keys()):
        if said.get(name) != shown.get(name):
            return f"{name}: pprof has {said.get(name)}, stackgazer {shown.get(name)}"
    return ""


def run(command):
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HOME": folder})
    if ran.returncode:
        sys.exit(f"{shlex.join(command)}: {ran.stderr}")
    return ran.stdout


main()

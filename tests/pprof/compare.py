#!/usr/bin/env python3
"""Compares the rows of stackgazer with those of `go tool pprof` for many options and profiles.

    tests/pprof/compare.py                 compare, with the pprof of the go that is in PATH
    tests/pprof/compare.py --bless         write what pprof says to testdata/profiles/expected.json
    tests/pprof/compare.py --bless FILE    the same for one of the profiles there, and keep the rest
    tests/pprof/compare.py FILE.pb.gz ...  compare other profiles

PPROF and STACKGAZER name other programs. tests/integration/pprof.rs checks what was written, so that
no go is needed to know that nothing has changed.
"""

import atexit
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import views
from views import number

ROOT = Path(__file__).resolve().parents[2]
PROFILES = ROOT / "testdata/profiles"
# The source of the program that they are of.
SOURCES = PROFILES / "program"
EXPECTED = PROFILES / "expected.json"
# Rows that are kept of each answer; the others are counted and summed.
KEPT = 5

# Typed to pprof with one dash, to stackgazer with two.
OPTIONS = """
cum
focus=mill
focus=serve ignore=sort|hash
ignore=runtime
focus=nothing-is-called-so
hide=runtime
hide=main\\.(grind|serve)
show=main\\.
show=main\\. hide=serve
show_from=main\\.serve
show_from=pprof\\.Do focus=main\\.keep|main\\.grind
prune_from=main\\.
prune_from=sort
tagfocus=customer=acme
tagfocus=acme|globex
tagfocus=acme,gold
tagfocus=class=gold,iron
tagfocus=bytes=4kb:16kb
tagfocus=:8kb
tagfocus=tenant=
tagfocus=tenant=^$
tagignore=tenant=.*
tagfocus=64b:
tagignore=customer=acme
tagignore=bytes=1kb:
tagfocus=gold tagignore=globex
tagroot=customer
tagroot=customer,class
tagleaf=class
tagleaf=customer,class focus=globex
tagroot=bytes
tagroot=customer tagshow=class
noinlines
noinlines lines
noinlines focus=main\\.sum
filefunctions
files
lines
addresses
lines focus=main nodecount=7
files hide=runtime cum
nodecount=5
nodecount=5 cum
nodecount=4 focus=main
nodefraction=0.05
nodefraction=0.1 focus=main\\.grind
nodefraction=0.02 nodecount=6 cum lines
mean
mean cum focus=main
mean_delay
divide_by=3
divide_by=0.5 nodecount=8
relative_percentages focus=main
relative_percentages focus=serve hide=runtime nodefraction=0.03
show_from=serve prune_from=compress|sort noinlines cum
sample_index=0
sample_index=0 focus=main lines
inuse_space
alloc_objects
total_delay
contentions hide=sync
""".strip().splitlines()

# The same for what isn't a table; pprof shows the tree of calls only as a picture, and sources without means.
VIEWS = """
tree
tree cum
tree mean
tree lines noinlines
tree addresses focus=main
tree filefunctions hide=runtime
tree nodecount=6
tree nodecount=9 cum focus=main hide=sort
tree nodefraction=0.03 edgefraction=0.02
tree nodecount=12 nodefraction=0.01 edgefraction=0.05
tree relative_percentages tagfocus=acme divide_by=2
tree tagroot=customer tagleaf=class
tree sample_index=0 show_from=main
peek=main\\.
peek=hash|sort focus=serve
peek=runtime ignore=main
peek=piece|hash mean cum
peek=serve$ prune_from=grind noinlines
traces lines
traces lines focus=main\\. hide=runtime
traces noinlines tagfocus=customer=acme tagshow=customer
traces files taghide=class
traces addresses mean
traces addresses sample_index=0 divide_by=2
tags
tags focus=hash|piece
tags tagshow=class tagignore=globex
tags sample_index=0 divide_by=3
call_tree
call_tree focus=main hide=runtime
call_tree lines noinlines
list=main\\.
list=main\\.(hash|sum) focus=main
list=main\\.(grind|serve) hide=runtime
list=main\\. noinlines
list=main\\. sample_index=0 divide_by=2
list=main\\. tagfocus=acme
""".strip().splitlines()

# OTHER is the profile of the same kind that was taken before.
BASES = """
base=OTHER
base=OTHER cum nodecount=10
base=OTHER drop_negative
base=OTHER normalize
base=OTHER normalize focus=main lines
diff_base=OTHER
diff_base=OTHER normalize cum
diff_base=OTHER drop_negative tagfocus=acme
base=OTHER mean
tree base=OTHER
tree base=OTHER drop_negative cum
tree base=OTHER drop_negative nodefraction=0.02 edgefraction=0.01
tree diff_base=OTHER normalize nodecount=10
peek=main\\. base=OTHER
traces lines base=OTHER
list=main\\. base=OTHER
tags base=OTHER
tags diff_base=OTHER focus=main
tree MERGE=OTHER
traces lines MERGE=OTHER
traces addresses mean MERGE=OTHER
tags MERGE=OTHER
""".strip().splitlines()


def main():
    bless = "--bless" in sys.argv
    given = [Path(argument) for argument in sys.argv[1:] if argument != "--bless"]
    pprof = find_pprof()
    stackgazer = os.environ.get("STACKGAZER") or ROOT / "target/debug/stackgazer"
    profiles = given or sorted(PROFILES.glob("*.pb.gz"))
    expected, wrong, same = {}, [], 0
    for profile in profiles:
        for options in cases(profile, given):
            said = ask_pprof(pprof, profile, options)
            if said is None:
                continue
            key = f"{profile.name} {options}".replace(str(profile.parent) + "/", "")
            if bless:
                expected[key] = short(said)
                continue
            shown = ask_stackgazer(stackgazer, profile, options, said.get("unit"))
            if shown == said:
                same += 1
            else:
                wrong.append((key, said, shown))
    if bless:
        if any(profile.resolve().parent != PROFILES for profile in given):
            sys.exit("compare.py: only what is in the repository can be blessed")
        if given:
            expected = json.loads(EXPECTED.read_text()) | expected
        rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(said)}" for key, said in expected.items())
        EXPECTED.write_text("{\n" + rows + "\n}\n")
        print(f"wrote {len(expected)} answers to {EXPECTED}")
        return
    for key, said, shown in wrong:
        print(f"{key}\n  {difference(said, shown)}")
    print(f"{same} answers are the same, {len(wrong)} differ")
    sys.exit(bool(wrong))


def cases(profile, given):
    yield ""
    yield from OPTIONS
    yield from VIEWS
    other = profile.with_name(profile.name.replace(".2.", ".1."))
    if other != profile and other.exists():
        yield from (options.replace("OTHER", str(other)) for options in BASES)
        yield f"MERGE={other}"


def find_pprof():
    """The pprof of a Go toolchain; since Go 1.25 it is built when it is first used."""
    if pprof := os.environ.get("PPROF"):
        return shlex.split(pprof)
    if shutil.which("go"):
        return ["go", "tool", "pprof"]
    sys.exit("compare.py: no go in PATH, and PPROF names no pprof")


def typed(options, dashes):
    """Arguments but for the view, and files to be merged."""
    words = [word for word in options.split(" ") if word and word != view_of(options)]
    merged = [word.removeprefix("MERGE=") for word in words if word.startswith("MERGE=")]
    return [dashes + word for word in words if not word.startswith("MERGE=")], merged


def view_of(options):
    """What is shown instead of a table; empty for the table."""
    first = options.split(" ")[0]
    return first if re.match("(tree|traces|tags|call_tree|peek=.*|list=.*)$", first) else ""


def unit_of(pprof, profile, options):
    """The unit of the sample type in force, so that pprof rounds nothing."""
    arguments, _ = typed(options, "-")
    chosen = [a for a in arguments if re.match("-(sample_index|inuse|alloc|total|mean_|contentions)", a)]
    ran = run([*pprof, "-raw", str(profile)])
    types = re.search(r"^Samples:\n(.*)$", ran.stdout, re.M).group(1).split()
    names = [name.removesuffix("[dflt]").split("/") for name in types]
    default = next((n for n in types if n.endswith("[dflt]")), types[-1]).removesuffix("[dflt]")
    unit = default.split("/")[1]
    for argument in chosen:
        name = argument.lstrip("-").removeprefix("sample_index=")
        name = {"total_delay": "delay", "mean_delay": "delay"}.get(name, name)
        found = [u for at, (n, u) in enumerate(names) if name in (n, str(at))]
        if not found:
            return None
        unit = found[0]
    return unit


def ask_pprof(pprof, profile, options):
    unit = unit_of(pprof, profile, options)
    if unit is None:
        return None
    arguments, merged = typed(options, "-")
    for least in ("nodefraction", "edgefraction", "nodecount"):
        if least not in options:
            arguments.append(f"-{least}=0")
    view = view_of(options)
    shown = ["-dot", "-call_tree"] if view == "call_tree" else [f"-{view or 'top'}"]
    if view.startswith("list="):
        shown.append(f"-source_path={sources()}")
    ran = run([*pprof, *shown, "-symbolize=none", f"-unit={unit}", *arguments, *merged, str(profile)])
    if "no matches found for regexp" in ran.stderr:
        return {"unit": unit, "lines": []}
    if ran.returncode:
        sys.exit(f"pprof {options} {profile}: {ran.stderr}")
    if view:
        said = views.read_pprof(view, ran.stdout, options)
        # Numbers of labels are written in it too.
        return said and {"unit": unit, **said}
    return read_table(ran.stdout, options)


@functools.cache
def sources():
    """A folder with the sources under the paths that profiles have for them."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    shutil.copytree(SOURCES, folder, dirs_exist_ok=True)
    shutil.copytree(SOURCES, folder / "example.com/mill")
    return folder


def read_table(text, options):
    total = re.search(r"Showing nodes accounting for .* of (\S+) total", text)
    rows = []
    table = text.split("cum%\n", 1)[1]
    for line in table.splitlines():
        flat, flat_share, sum_share, cum, cum_share, name = line.split(None, 5)
        name = re.sub(r" \((partial-)?inline\)$", "", name)
        shares = [flat_share, sum_share, cum_share]
        if "divide_by" in options:
            # pprof takes them of the values before they were divided.
            shares = [None, None, None]
        rows.append([name, number(flat), shares[0], shares[1], number(cum), shares[2]])
    if "files" in options.split(" "):
        rows = by_name(rows)
    return {"whole": number(total.group(1)), "rows": rows}


def by_name(rows):
    """One row for each file; pprof has one for each first line of its functions."""
    flat = {}
    for row in rows:
        flat[row[0]] = flat.get(row[0], 0) + row[1]
    return [[name, value, None, None, 0, None] for name, value in sorted(flat.items())]


def ask_stackgazer(stackgazer, profile, options, unit):
    arguments, merged = typed(options, "--")
    view = view_of(options)
    granularity = {"filefunctions", "files", "lines", "addresses"} & set(options.split(" "))
    if not granularity and view != "tags" and not view.startswith("list="):
        arguments.append("--functions")
    if view:
        arguments += [f"--{view}", f"--unit={unit}"]
    if view.startswith("list="):
        arguments.append(f"--source-root={SOURCES}")
    arguments = [str(stackgazer), "summarize", "--no-config", *arguments, *merged, str(profile)]
    ran = run([*arguments, "-o", "json"])
    if ran.returncode:
        return {"whole": ran.stderr, "rows": [], "lines": [ran.stderr]}
    document = json.loads(ran.stdout)
    if view:
        return {"unit": unit, **views.read_stackgazer(view, document)}
    whole = document["whole"]
    rows, above = [], 0
    for row in document["rows"]:
        told = [row[key] for key in document["by"] if row[key]]
        is_unknown = not told or told == [row.get("address")]
        name = " ".join(told + ["<unknown>"] * is_unknown)
        above += row["flat"]
        shares = [share(value, whole) for value in (row["flat"], above, row["cum"])]
        if "divide_by" in options:
            shares = [None, None, None]
        rows.append([name, row["flat"], shares[0], shares[1], row["cum"], shares[2]])
    if "files" in granularity:
        rows = by_name(rows)
    return {"whole": whole, "rows": rows}


def share(value, whole):
    ratio = abs(value / whole) * 100 if whole else 0
    if 99.95 <= ratio <= 100.05:
        return "100%"
    return f"{ratio:.2f}%" if ratio >= 1 else f"{ratio:.2g}%"


def short(said):
    if "lines" in said:
        lines = said["lines"]
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
        first = lines[0][:200] if lines else ""
        return {"unit": said["unit"], "first": first, "count": len(lines), "digest": digest[:16]}
    rows = said["rows"]
    return {
        "whole": said["whole"],
        "rows": [[name, flat, cum] for name, flat, _, _, cum, _ in rows[:KEPT]],
        "count": len(rows),
        "flat": sum(row[1] for row in rows),
        "cum": sum(row[4] for row in rows),
    }


def difference(said, shown):
    if "lines" in said:
        said, shown = said["lines"], shown["lines"]
        for at in range(max(len(said), len(shown))):
            if said[at : at + 1] != shown[at : at + 1]:
                return f"line {at}: pprof has {said[at : at + 1]}\n  stackgazer {shown[at : at + 1]}"
    if said["whole"] != shown["whole"]:
        return f"pprof has {said['whole']} in all, stackgazer {shown['whole']}"
    for expected, found in zip(said["rows"], shown["rows"]):
        if expected != found:
            return f"pprof has {expected}, stackgazer {found}"
    return f"pprof has {len(said['rows'])} rows, stackgazer {len(shown['rows'])}"


def run(command):
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "HOME": folder})


main()

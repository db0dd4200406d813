#!/usr/bin/env python3
"""Counts instructions on small inputs and compares with benches/instructions.json.

    cargo build --profile dist && benches/instructions.py           # fails when a count grew by 3 %
    benches/instructions.py --bless                             # keeps the counts
"""
import argparse
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TOLERANCE = 0.03
FORMS = ("debug2", "debug1", "pprof", "kubectl", "docker", "bundle")
# Name, form of the input, arguments of the generator, arguments of stackgazer.
CASES = [
    *((f"summarize {form}", form, ["--bytes", "4M", "--stacks", "300"], ["summarize", "-o", "json"])
      for form in FORMS),
    ("summarize, all stacks distinct", "debug2", ["--goroutines", "2000", "--stacks", "2000"],
     ["summarize", "-o", "json"]),
    ("start", "debug2", ["--bytes", "1K", "--stacks", "1"], ["summarize", "-o", "json"]),
    ("export ndjson", "debug2", ["--bytes", "4M", "--stacks", "300"], ["export", "-o", "ndjson"]),
]


def count(command):
    """Instructions of all threads of a command."""
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    found = re.search(r"refs:\s+([\d,]+)", result.stderr)
    if result.returncode or not found:
        sys.exit(result.stderr)
    return int(found[1].replace(",", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bless", action="store_true", help="keep the counts")
    parser.add_argument("--binary", default=ROOT / "target/dist/stackgazer")
    parser.add_argument("--generate", default=ROOT / "target/release/examples/generate")
    options = parser.parse_args()
    if not pathlib.Path(options.generate).exists():
        subprocess.run(["cargo", "build", "--release", "--example", "generate"], cwd=ROOT, check=True)
    stored = HERE / "instructions.json"
    machine = platform.machine()
    all_kept = json.loads(stored.read_text()) if stored.exists() else {}
    kept = all_kept.get(machine, {})
    counts, slower = {}, False
    with tempfile.TemporaryDirectory() as folder:
        for name, form, made_by, arguments in CASES:
            # In the same place for everyone: paths are part of the output.
            path = pathlib.Path(folder) / "input"
            subprocess.run([options.generate, "--form", form, *made_by, "--to", path], check=True)
            counts[name] = count([options.binary, *arguments, "--threads", "1", path])
            before = kept.get(name)
            change = "new" if before is None else f"{(counts[name] / before - 1) * 100:+.1f} %"
            slow = before is not None and counts[name] > before * (1 + TOLERANCE)
            slower |= slow
            print(f"{name:34} {counts[name] / 1e6:10.1f} M  {change}{'  SLOWER' if slow else ''}",
                  flush=True)
    if options.bless:
        all_kept[machine] = counts
        stored.write_text(json.dumps(all_kept, indent=1, sort_keys=True) + "\n")
    sys.exit(slower and not options.bless)


if __name__ == "__main__":
    main()

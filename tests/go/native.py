#!/usr/bin/env python3
"""Holds the native stacks of programs of Go against what is known of them: a thread that is in C has the calls
of C, those that lead there from Go, and below them the goroutine's as debug=2 prints them; no stack is lost.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 STACKGAZER=target/debug/stackgazer tests/go/native.py
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import live

HERE = pathlib.Path(__file__).parent
BUILDS = {"cgo": [], "cgo-pie-stripped": ["-buildmode=pie", "-ldflags=-s -w"]}


def build(go, flags, to):
    environment = dict(os.environ, CGO_ENABLED="1", GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
    subprocess.run([go / "bin/go", "build", "-o", to, *flags, "."], cwd=HERE / "live", env=environment,
                   check=True)


def goroutines(text):
    """The functions of each, innermost first."""
    found = {}
    for block in text.strip().split("\n\n"):
        lines = block.split("\n")
        calls = [line[:line.rindex("(")] for line in lines[1:]
                 if line.endswith(")") and not line.startswith(("\t", "created by "))]
        found[int(lines[0].split(" ", 2)[1])] = calls
    return found


def compare(command, program, folder):
    dump = folder / "dump.txt"
    process = live.start(program, dump, 20)
    try:
        done = subprocess.run([*command, "capture", str(process.pid), "--native", "-o", "json"], check=True,
                              stdout=subprocess.PIPE)
        live.dump_itself(process)
        known = goroutines(dump.read_text())
    finally:
        process.kill()
        process.wait()
    wrong, joined = [], 0
    threads = json.loads(done.stdout)["threads"]
    for thread in threads:
        calls = [frame["func"] or "??" for frame in thread["frames"]]
        if thread["end"] not in ("whole", "switched"):
            wrong.append(f"{thread['end']}: {calls}")
        if thread["goroutine"] is None:
            continue
        joined += 1
        at = calls.index("runtime.asmcgocall")
        # Which calls of the runtime debug=2 shows depends on the version.
        own, told = ([call for call in calls if not call.startswith("runtime.")]
                     for calls in (calls[at:], known[thread["goroutine"]]))
        if own != told or calls[-1] != "runtime.goexit":
            wrong.append(f"goroutine {thread['goroutine']}: {own} and {told}")
        if not re.search("pause|syscall", calls[0]):
            wrong.append(f"not in C: {calls}")
    if joined == 0:
        wrong.append("no thread is in C")
    return wrong, len(threads), joined


def main():
    command = os.environ.get("STACKGAZER", "target/debug/stackgazer").split()
    failed = False
    for go in map(pathlib.Path, os.environ["STACKGAZER_GO"].split(":")):
        for name, flags in BUILDS.items():
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                build(go, flags, folder / "live")
                wrong, threads, joined = compare(command, folder / "live", folder)
                print(f"{go.parent.name}/{go.name} {name}: {threads} threads, {joined} in C, {len(wrong)} wrong",
                      flush=True)
                print("\n".join(wrong[:5]), end="\n" if wrong else "")
                failed |= bool(wrong)
    sys.exit(failed)


main()

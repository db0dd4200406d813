#!/usr/bin/env python3
"""Captures a program again and again whose stacks change and move all the time, and looks for stacks that
no goroutine ever had. Asks the program after each capture whether it still runs.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 STACKGAZER=target/debug/stackgazer tests/go/churn.py --captures 1000
"""

import argparse
import collections
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# What may be on a worker's stack, innermost first: waiting, or about to call.
LONG = ["main.long4", "main.long3", "main.long2", "main.long1"]
SHORT = ["main.short2", "main.short1"]
WHOLE = {tuple(chain[start:]) for chain in (LONG, SHORT) for start in range(len(chain) + 1)}


def torn(block):
    """Whether a worker's stack is none that it can have."""
    calls = re.findall(r"^(main\.\w+)\(", block, re.M)
    if calls[-1:] == ["main.call"]:
        # Never the inner half of one chain on the outer half of the other.
        return {call[-1] for call in calls if call[:-1] in ("main.in", "main.out")} == {"A", "B"}
    return calls[-1:] != ["main.work"] or tuple(calls[:-1]) not in WHOLE


def answers(process, word):
    try:
        process.stdin.write(word + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        print(f"the program ended: {process.wait()}")
        return False
    readable, _, _ = select.select([process.stdout], [], [], 10)
    return bool(readable) and process.stdout.readline() == word + "\n"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--captures", type=int, default=100)
    options.add_argument("--workers", default="1000")
    options.add_argument("--calls", action="store_true",
                         help="workers make system calls, from two chains of equal depth in turn")
    options.add_argument("--mode", default="lite", help="lite, full or none")
    options.add_argument("--busy", type=int, default=4, help="loops that keep the processors busy")
    options = options.parse_args()
    command = os.environ.get("STACKGAZER", "target/debug/stackgazer").split()
    failed = False
    for go in map(pathlib.Path, os.environ["STACKGAZER_GO"].split(":")):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "churn"
            environment = dict(os.environ, CGO_ENABLED="0", GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
            subprocess.run([go / "bin/go", "build", "-o", program, "."], cwd=HERE / "churn",
                           env=environment, check=True)
            busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(options.busy)]
            arguments = [options.workers, *(["calls"] if options.calls else [])]
            process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
            counts = collections.Counter()
            try:
                assert process.stdout.readline() == "ready\n"
                for number in range(options.captures):
                    done = subprocess.run([*command, "capture", "--mode", options.mode, str(process.pid)], check=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                    for block in done.stdout.split("\n\n"):
                        if "created by main.main" not in block or "main.main.func" in block:
                            continue
                        kind = "no stack" if "stack unavailable" in block else \
                            "torn" if torn(block) else \
                            "long" if "main.long1" in block else "calls" if options.calls else "short"
                        if kind == "torn" and counts[kind] < 3:
                            print(block)
                        counts[kind] += 1
                    if not answers(process, str(number)):
                        counts["hangs"] += 1
                        break
            finally:
                for one in [process, *busy]:
                    one.kill()
                    one.wait()
            print(f"{go.parent.name} {options.mode}: {options.captures} captures, {dict(counts)}", flush=True)
            failed |= counts["torn"] > 0 or counts["hangs"] > 0
    sys.exit(failed)


main()

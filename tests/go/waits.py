#!/usr/bin/env python3
"""Holds what goroutines are said to wait for, of a live process and of a core file, against the addresses that
the program prints itself.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 STACKGAZER="target/debug/stackgazer capture" tests/go/waits.py
    ... tests/go/waits.py --builds plain,stripped --modes lite,full,none --core
"""

import argparse
import json
import subprocess
import sys

import live

# What only later versions keep: the address of a Cond, and which semaphore is a WaitGroup's.
FROM = {"awaits": 26, "waits": 24}


def goroutines(command, target):
    done = subprocess.run([*command, "-o", "ndjson", *target], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "may not be read" in done.stderr or "may not be stopped" in done.stderr:
        raise live.Refused(done.stderr)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [row for row in rows if row["type"] == "goroutine"], [row for row in rows if row["type"] == "stack"]


def compare(command, program, mode, folder, minor):
    """Tells what is wrong, and how many goroutines were compared."""
    process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    known = {}
    try:
        while (line := process.stdout.readline()) != "ready\n":
            name, *addresses = line.split()
            known[f"main.{name}"] = sorted(addresses)
        target = ["--mode", mode, str(process.pid)]
        if mode == "core":
            subprocess.run(["gcore", "-o", folder / "core", str(process.pid)], check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            target = ["--core", folder / f"core.{process.pid}"]
        rows, stacks = goroutines(command, target)
    finally:
        process.kill()
        process.wait()
    functions = {stack["id"]: [frame["func"] for frame in stack["frames"]] for stack in stacks}
    wrong, compared = [], 0
    for row in rows:
        of = [name for name in functions[row["stack"]] if name in known]
        if not of:
            continue
        compared += 1
        [name] = of
        expected = known[name] if minor >= FROM.get(name.removeprefix("main."), 0) else []
        told = sorted(row.get("waits_on", []))
        if told != expected:
            wrong.append(f"{name} waits for {expected}, and is said to wait for {told}")
    # 20 receive and 20 lock; one each does anything else.
    if compared != 40 + len(known) - 2:
        wrong.append(f"{compared} goroutines were found")
    return wrong, compared


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--modes", default="lite")
    options.add_argument("--core", action="store_true", help="of core files that gcore writes, too")

    def comparison(options):
        def of_program(command, program, _count, folder):
            minor = int(program.name.rpartition("go1.")[2].split(".")[0])
            wrong, compared = [], 0
            for mode in options.modes.split(",") + ["core"] * options.core:
                try:
                    differ, goroutines = compare(command, program, mode, folder, minor)
                except live.Refused as refused:
                    print(f"skipped: {mode}: {refused}", flush=True)
                    continue
                wrong, compared = wrong + differ, compared + goroutines
            return wrong, compared

        return of_program

    live.run(options, "target/debug/stackgazer capture", comparison, "waits")


if __name__ == "__main__":
    main()

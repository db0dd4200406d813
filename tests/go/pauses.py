#!/usr/bin/env python3
"""Tells how long a program stands still while it is looked at, in its own eyes: one of its goroutines looks at the
clock all the time. All ways to look are tried in turn, several times over, so that all meet the same noise.

    STACKGAZER_GO=/opt/go1.27 STACKGAZER=target/release/stackgazer tests/go/pauses.py --rounds 7
    ... tests/go/pauses.py --goroutines 10 --threads 2000 --without gdb,delve,dump
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent
DELVE = ["dlv", "attach", "--allow-non-terminal-interactive=true"]


class Target:
    def __init__(self, program, goroutines, threads):
        self.process = subprocess.Popen([program, str(goroutines), str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def ask(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.kill()
        self.process.wait()


def run(command, **options):
    """Runs a command; tells what it says."""
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stderr


def ways(command, target):
    """What is compared, by name: what is done to the target. Tells how long it says that threads stood still, if
    it does."""
    pid = str(target.process.pid)

    def capture(*options):
        stood = re.search(r"stood still for ([\d,]+) us", run([*command, "capture", pid, "--stats", *options]))
        return int(stood[1].replace(",", "")) if stood else None

    return {
        "nothing": lambda: time.sleep(0.3),
        "none": lambda: capture("--mode", "none"),
        "lite": lambda: capture("--mode", "lite"),
        "full": lambda: capture("--mode", "full"),
        "dump": lambda: target.ask("dump") and None,
        "native": lambda: capture("--native"),
        "gdb": lambda: run(["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt"]) and None,
        # It asks whether the process is to be killed.
        "delve": lambda: run([*DELVE, pid], input="goroutines -t\nquit\nn\n") and None,
    }


NAMES = {"dump": "debug=2", "gdb": "gdb: thread apply all bt", "delve": "delve: goroutines -t"}
PROGRAMS = {"gdb": "gdb", "delve": "dlv"}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--goroutines", default="1000,100000")
    options.add_argument("--threads", default="0", help="threads that wait in the kernel")
    options.add_argument("--without", default="", help="ways to look that are left out")
    options = options.parse_args()
    command = os.environ.get("STACKGAZER", "target/release/stackgazer").split()
    without = set(options.without.split(","))
    for name in sorted(PROGRAMS.keys() - without):
        if not shutil.which(PROGRAMS[name]):
            print(f"skipped: {PROGRAMS[name]} isn't there")
            without.add(name)
    for go in map(pathlib.Path, os.environ["STACKGAZER_GO"].split(":")):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "pauses"
            environment = dict(os.environ, CGO_ENABLED="0", GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
            subprocess.run([go / "bin/go", "build", "-o", program, "."], cwd=HERE / "pauses", env=environment,
                           check=True)
            for goroutines in options.goroutines.split(","):
                for threads in options.threads.split(","):
                    target = Target(program, goroutines, threads)
                    try:
                        measure(target, command, without, options.rounds,
                                f"{go.parent.name}, {goroutines} goroutines, {threads} threads in the kernel")
                    finally:
                        target.end()


def measure(target, command, without, rounds, title):
    gaps, stood = {}, {}
    for _ in range(rounds):
        for name, look in ways(command, target).items():
            if name in without:
                continue
            assert target.ask("start") == "started"
            told = look()
            gaps.setdefault(name, []).append(int(target.ask("gap")) / 1000)
            if told is not None:
                stood.setdefault(name, []).append(told)
    print(f"\n{title}; microseconds, of {rounds} rounds\n")
    print("| | least | median | most | stood still, by --stats: least | median |\n| --- | --- | --- | --- | --- | --- |")
    for name, seen in gaps.items():
        told = [f"{min(its):,.0f} | {statistics.median(its):,.0f}" for its in [stood.get(name)] if its] or [" | "]
        print(f"| {NAMES.get(name, name)} | {min(seen):,.0f} | {statistics.median(seen):,.0f} | {max(seen):,.0f} | "
              f"{told[0]} |", flush=True)


main()

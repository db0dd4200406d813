#!/usr/bin/env python3
"""Holds what is read of a live process against what the process prints itself: every parked goroutine's
block, byte by byte.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 STACKGAZER="target/debug/stackgazer capture" tests/go/live.py
    ... tests/go/live.py --builds plain,stripped --goroutines 1000,100000 --modes lite,full,none
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BUILDS = {
    "plain": ("0", []),
    "stripped": ("0", ["-ldflags=-s -w", "-trimpath"]),
    "pie": ("0", ["-buildmode=pie"]),
    "cgo": ("1", []),
    "cgo-pie-stripped": ("1", ["-buildmode=pie", "-ldflags=-s -w"]),
}


def build(go, name, source, to):
    cgo, flags = BUILDS[name]
    environment = dict(os.environ, CGO_ENABLED=cgo, GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
    subprocess.run([go / "bin/go", "build", "-o", to, *flags, "."], cwd=HERE / source,
                   env=environment, check=True)


def blocks(text):
    """The goroutines by number; of one that runs only that it does."""
    found = {}
    for block in text.strip().split("\n\n"):
        number = int(block.split(" ", 2)[1])
        assert number not in found, f"goroutine {number} is there twice"
        found[number] = block.strip()
    return found


class Refused(Exception):
    """Processes may not be read, or not be stopped, on this system."""


def capture(command, process):
    done = subprocess.run([*command, str(process.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if "may not be read" in done.stderr or "may not be stopped" in done.stderr:
        raise Refused(done.stderr)
    assert done.returncode == 0, done.stderr
    return done.stdout


def start(program, dump, count, **options):
    """The program, once all of its goroutines are parked."""
    process = subprocess.Popen([program, dump, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                               **options)
    assert process.stdout.readline() == "ready\n"
    return process


def dump_itself(process):
    """Has the program write its own dump."""
    process.stdin.write("d")
    process.stdin.flush()
    assert process.stdout.readline() == "dumped\n"


def compare(command, program, count, folder):
    """Tells what differs, and how many goroutines were compared."""
    dump = folder / "dump.txt"
    process = start(program, dump, count)
    try:
        read = capture(command, process)
        dump_itself(process)
        own, ours = blocks(dump.read_text()), blocks(read)
    finally:
        process.kill()
        process.wait()
    return differences(own, ours)


def differences(own, ours):
    """Tells what differs between two dumps, and how many goroutines were compared."""
    # The one that dumps itself can't be parked in both.
    own.pop(1), ours.pop(1)
    wrong = []
    if own.keys() != ours.keys():
        wrong.append(f"numbers differ: {sorted(own.keys() ^ ours.keys())[:20]}")
    for number in own.keys() & ours.keys():
        if own[number] != ours[number]:
            wrong.append(f"--- Go says\n{own[number]}\n+++ read was\n{ours[number]}")
    return wrong, len(own)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--modes", default="lite")

    def comparison(options):
        def in_all(command, program, count, folder):
            wrong, compared = [], 0
            for mode in options.modes.split(","):
                try:
                    differ, goroutines = compare([*command, "--mode", mode], program, count, folder)
                except Refused as refused:
                    print(f"skipped: {mode}: {refused}", flush=True)
                    continue
                wrong, compared = wrong + differ, compared + goroutines
            return wrong, compared

        return in_all

    run(options, "target/debug/stackgazer capture", comparison)


def run(options, command, comparison, source="live"):
    """Compares all builds of a program by all versions, by what is to be done given the options."""
    options.add_argument("--builds", default=",".join(BUILDS))
    options.add_argument("--goroutines", default="1000")
    options.add_argument("--keep", type=pathlib.Path, help="where built programs are kept")
    options = options.parse_args()
    compare = comparison(options)
    command = os.environ.get("STACKGAZER", command).split()
    failed = False
    for go in map(pathlib.Path, os.environ["STACKGAZER_GO"].split(":")):
        version = subprocess.run([go / "bin/go", "env", "GOVERSION"], check=True,
                                 env=dict(os.environ, GOTOOLCHAIN="local"),
                                 stdout=subprocess.PIPE, text=True).stdout.strip()
        for name in options.builds.split(","):
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                program = (options.keep or folder) / f"{source}-{name}-{version}"
                if not program.exists():
                    build(go, name, source, program)
                for count in map(int, options.goroutines.split(",")):
                    wrong, compared = compare(command, program, count, folder)
                    right = compared - len(wrong)
                    print(f"{version} {name}: {right} of {compared} goroutines agree", flush=True)
                    print("\n".join(wrong[:3]), end="\n" if wrong else "")
                    failed |= bool(wrong)
    sys.exit(failed)


if __name__ == "__main__":
    main()

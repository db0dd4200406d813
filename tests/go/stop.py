#!/usr/bin/env python3
"""Stops a program again and again whose runtime interrupts its own threads all the time: loops that make
calls of nothing, and collections every few milliseconds. Asks the program after each stop whether it still runs,
and with --kill kills as many stoppers as that at random moments of the time that they take.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 tests/go/stop.py --stops 1000
    STACKGAZER="target/debug/stackgazer capture --mode full" ... tests/go/stop.py --kill --stops 200
"""

import argparse
import os
import pathlib
import random
import select
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent


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
    options.add_argument("--stops", type=int, default=100)
    options.add_argument("--kill", action="store_true")
    options = options.parse_args()
    command = os.environ.get("STACKGAZER", "target/debug/stackgazer capture --native").split()
    failed = False
    for go in map(pathlib.Path, os.environ["STACKGAZER_GO"].split(":")):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "stop"
            environment = dict(os.environ, CGO_ENABLED="0", GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
            subprocess.run([go / "bin/go", "build", "-o", program, "."], cwd=HERE / "stop",
                           env=environment, check=True)
            process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            done = refused = killed = hangs = 0
            chance = random.Random(1)
            # How long one takes that isn't killed.
            whole = 0.0
            try:
                assert process.stdout.readline() == "ready\n"
                while (killed if options.kill and done else done + refused) < options.stops:
                    started = time.monotonic()
                    capture = subprocess.Popen([*command, str(process.pid)],
                                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                    try:
                        said = capture.communicate(timeout=chance.uniform(0, whole) if options.kill and whole
                                                   else None)[1]
                        whole = time.monotonic() - started
                        done += capture.returncode == 0
                        refused += capture.returncode != 0
                        if capture.returncode != 0 and refused == 1:
                            print(said.decode())
                    except subprocess.TimeoutExpired:
                        capture.kill()
                        capture.communicate()
                        killed += 1
                    if not answers(process, str(done + refused + killed)):
                        hangs += 1
                        break
            finally:
                process.kill()
                process.wait()
            print(f"{go.parent.name}/{go.name}: {done} stops, {refused} refused, {killed} killed, {hangs} hangs",
                  flush=True)
            failed |= refused > 0 or hangs > 0
    sys.exit(failed)


main()

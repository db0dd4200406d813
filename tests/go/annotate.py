#!/usr/bin/env python3
"""Holds what is told of each word of a goroutine's stack against what the goroutine knows of itself, and against what
must hold of every stack: each call returns to the next one, frame pointers lead from one to the next.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 STACKGAZER=target/debug/stackgazer tests/go/annotate.py
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BUILDS = {"plain": [], "stripped": ["-ldflags=-s -w"], "pie": ["-buildmode=pie"]}
MODES = ["none", "lite", "full"]
DEPTHS = 12


def annotate(command, process, goroutine, mode):
    done = subprocess.run([*command, "capture", str(process.pid), "--annotate", goroutine, "--mode", mode, "-o", "json"],
                          stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def check(told, depth, known):
    """What is wrong in what was told of a goroutine that called itself so many times."""
    number = lambda text: int(text, 16)
    words, frames = told["words"], told["frames"]
    objects, live, dead, value = map(number, known)
    wrong = [] if told["known"] == "exact" else [told["known"]]
    names = [frame["calls"][-1]["func"] for frame in frames]
    own = [name for name in names if not name.startswith("runtime.")]
    expected = ["main.inner"] + ["main.outer"] * (depth + 1)
    if own[:len(expected)] != expected or names[-1] != "runtime.goexit":
        wrong.append(f"calls {names}")
    addresses = [number(word["address"]) for word in words]
    start, high = number(frames[0]["sp"]), number(told["high"])
    if addresses != list(range(start, high, 8)):
        wrong.append("not every word is there once")
    of = lambda what: [word for word in words if word["what"] == what]
    returns = [(word["frame"], number(word["value"])) for word in of("return_address")]
    if returns != [(at, number(frame["pc"])) for at, frame in enumerate(frames[1:])]:
        wrong.append("return addresses aren't those of the frames")
    pointers = of("frame_pointer")
    chain = [number(word["address"]) for word in pointers][1:] + [0]
    if [number(word["value"]) for word in pointers] != chain:
        wrong.append(f"frame pointers don't lead from one to the next: {pointers}")
    if len(pointers) < depth + 3:
        wrong.append(f"{len(pointers)} frame pointers")
    for at, word in enumerate(words):
        if number(word["value"]) == dead and word["live"]:
            wrong.append(f"a dead pointer is live: {word}")
        if word["live"] and number(word["value"]) == value:
            wrong.append(f"a number is a live pointer: {word}")
    places = {number(word["address"]): word for word in words}
    for at in range(objects, objects + 32, 8):
        word = places.get(at)
        if not word or word["what"] != "object" or word["bytes"] != 32:
            wrong.append(f"not the variable: {word}")
        elif word["frame"] != names.index("main.outer"):
            wrong.append(f"another call's variable: {word}")
    holders = [word for word in words if number(word["value"]) == live and word["live"]]
    inner = names.index("main.inner")
    if not any(word.get("of") == inner or word["frame"] == inner for word in holders):
        wrong.append(f"no live pointer of main.inner: {holders}")
    if not any(word["frame"] == inner + 1 and word["what"] == "pointer" for word in holders):
        wrong.append(f"no live pointer of main.outer: {holders}")
    if any(word["target"] != "elsewhere" for word in holders):
        wrong.append(f"not in the heap: {holders}")
    # The arguments of the innermost call, in the order in which dumps show them.
    arguments = {word.get("number"): number(word["value"]) for word in words
                 if word.get("of") == inner and word.get("saved")}
    for which, expected in [(1, objects), (2, live), (3, value)]:
        if which in arguments and arguments[which] != expected:
            wrong.append(f"argument {which} is {arguments[which]:#x}, and should be {expected:#x}")
    if not arguments:
        wrong.append("no argument")
    return wrong


def main():
    command = os.environ.get("STACKGAZER", "target/debug/stackgazer").split()
    failed = False
    for go in map(pathlib.Path, os.environ["STACKGAZER_GO"].split(":")):
        for name, flags in BUILDS.items():
            with tempfile.TemporaryDirectory() as folder:
                program = pathlib.Path(folder) / "annotate"
                environment = dict(os.environ, CGO_ENABLED="0", GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
                subprocess.run([go / "bin/go", "build", "-o", program, *flags, "."], cwd=HERE / "annotate",
                               env=environment, check=True)
                process = subprocess.Popen([program, str(DEPTHS)], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, text=True)
                wrong, words = [], 0
                try:
                    known = []
                    while (line := process.stdout.readline()) != "ready\n":
                        known.append(line.split())
                    for depth, (goroutine, *facts) in enumerate(known):
                        told = annotate(command, process, goroutine, MODES[depth % len(MODES)])
                        wrong += [f"depth {depth}: {what}" for what in check(told, depth, facts)]
                        words += len(told["words"])
                finally:
                    process.kill()
                    process.wait()
                print(f"{go.parent.name}/{go.name} {name}: {words} words of {len(known)} stacks, {len(wrong)} wrong",
                      flush=True)
                print("\n".join(wrong[:5]), end="\n" if wrong else "")
                failed |= bool(wrong)
    sys.exit(failed)


main()

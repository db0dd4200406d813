#!/usr/bin/env python3
"""Holds what is told of each word of a goroutine's stack against what the goroutine knows of itself, and against what
must hold of every stack: each call returns to the next one, frame pointers lead from one to the next.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 STACKGAZER=target/debug/stackgazer tests/go/annotate.py
    ... tests/go/annotate.py --gdb

With --gdb, the addresses of variables that gdb tells in the same calls are compared, too.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BUILDS = {"plain": [], "stripped": ["-ldflags=-s -w"], "pie": ["-buildmode=pie"],
          "unoptimized": ["-gcflags=all=-N -l"]}
MODES = ["none", "lite", "full"]
DEPTHS = 12


def annotate(command, process, goroutine, mode):
    done = subprocess.run([*command, "capture", str(process.pid), "--annotate", goroutine, "--mode", mode, "-o", "json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def names(told, calls, known, build):
    """What is wrong in what variables are called."""
    number = lambda text: int(text, 16)
    objects, live, _, value = map(number, known)
    if build == "stripped":
        has_none = all("variables" not in word for word in told["words"]) and "no DWARF" in str(told["warnings"])
        return [] if has_none else [f"names without DWARF: {told['warnings']}"]
    wrong = [told["warnings"]] if told["warnings"] else []
    found = {}
    for word in told["words"]:
        for named in word.get("variables", []):
            found.setdefault((named["func"], named["name"]), []).append((named, word))
    inner = {"object": ("*[4]*main.node", objects), "live": ("*main.node", live), "number": ("uintptr", value)}
    for name, (kind, expected) in inner.items():
        told_of = [(named["type"], named["offset"], number(word["value"]), calls[named["of"]])
                   for named, word in found.get(("main.inner", name), [])]
        if told_of != [(kind, 0, expected, "main.inner")]:
            wrong.append(f"{name} of main.inner: {told_of}")
    if build == "unoptimized":
        object = [(named["type"], named["offset"], number(word["address"]))
                  for named, word in found.get(("main.outer", "object"), [])
                  if named["of"] == calls.index("main.outer")]
        if object != [("[4]*main.node", at, objects + at) for at in range(0, 32, 8)]:
            wrong.append(f"object of main.outer: {object}")
        kept = [number(word["value"]) for named, word in found.get(("main.outer", "kept"), [])
                if named["of"] == calls.index("main.outer")]
        if kept != [live]:
            wrong.append(f"kept of main.outer: {kept}")
    return wrong


def compare_with_gdb(told, calls, process):
    """What gdb says otherwise of where the variables of main.inner and main.outer are. Its thread is put where the
    goroutine is, and back."""
    first = told["frames"][0]
    ask = ["set $pc_was = $pc", "set $sp_was = $sp", f"set $sp = {first['sp']}", f"set $pc = {first['pc']}"]
    wanted = []
    for word in told["words"]:
        for named in word.get("variables", []):
            function = calls[named["of"]]
            # Results have no name that could be typed.
            is_wanted = named["offset"] == 0 and not named["name"].startswith("~")
            if is_wanted and named["func"] == function and function in ("main.inner", "main.outer"):
                wanted.append((named["of"], named["name"], int(word["address"], 16)))
                ask += [f"frame {named['of']}", f"print &{named['name']}"]
    ask += ["frame 0", "set $pc = $pc_was", "set $sp = $sp_was"]
    command = ["gdb", "-nx", "-batch", "-p", str(process.pid)] + [part for one in ask for part in ("-ex", one)]
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    addresses = [int(line, 16) for line in re.findall(r"^\$\d+ = .*(0x[0-9a-f]+)$", said.stdout, re.M)]
    # Smaller ones share a word.
    if [at & ~7 for at in addresses] != [at for _, _, at in wanted] or not wanted:
        return [f"gdb says {addresses} of {wanted}: {said.stderr[-200:]}"]
    return []


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
                        calls = [frame["calls"][-1]["func"] for frame in told["frames"]]
                        found = check(told, depth, facts) + names(told, calls, facts, name)
                        if "--gdb" in sys.argv and name != "stripped" and depth < 3:
                            found += compare_with_gdb(told, calls, process)
                        wrong += [f"depth {depth}: {what}" for what in found]
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

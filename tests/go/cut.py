#!/usr/bin/env python3
"""Cuts out of Go binaries what some questions need, for tests that need neither Go nor the binaries.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 tests/go/cut.py [--keep FOLDER]

Builds tests/go/probe as agreement.py does, runs it where it can run here, and asks Go itself: debug=1 lines
of its goroutines and the calls of a crash (or go tool addr2line for other systems). Then every block of
the binary that these answers don't need is taken away: blocks are replaced by zeros, by halves down to 256
bytes, as long as the answers stay the same. What is left is written to testdata/binary/NAME.cut.gz:
the binary's size, then for each piece its offset, its size and its bytes (sizes have 8, 4 and 4 bytes, the
least significant first). NAME.txt has what Go said, one answer a line:

    frame PC FUNCTION+OFFSET FILE:LINE            a line of debug=1
    call FUNCTION OFFSET FILE LINE PC SIZE        a call of a crash, its pc and fp - sp
    stack USED RETURN ADDRESSES                   a goroutine of a crash: sp to the first fp, and 32 bytes
    line PC FUNCTION FILE:LINE                    go tool addr2line
"""

import argparse
import gzip
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import agreement
from agreement import Build, ROOT, ask, run, traceback

OUT = ROOT / "testdata/binary"
SMALLEST = 256
# name: variant of agreement.py, minor version of Go, whether it runs here
CUTS = {
    "go1.19-elf": ("exe", "1.19", True),
    "go1.27-elf": ("exe", "1.27", True),
    "go1.27-elf-pie-stripped": ("piestrip", "1.27", True),
    "go1.21-elf-cgo-pie-stripped": ("cgopie", "1.21", True),
    "go1.21-pe": ("windows-amd64", "1.21", False),
    "go1.27-macho-arm64": ("darwin-arm64", "1.27", False),
}


def said_by_running(build):
    """What the program and its crash print, and the questions that ask for the same."""
    said, questions = [], []
    with tempfile.TemporaryDirectory() as folder:
        run(str(build.path), "profiles", folder)
        text = (Path(folder) / "goroutine.txt").read_text()
    frames = re.findall(r"^#\t0x([0-9a-f]+)\t(\S+)\+0x([0-9a-f]+)\t+(.*):(\d+)$", text, re.M)
    lines = ["\t".join(frame) for frame in frames]
    slide = int(ask("check", build.path, lines=lines)[0].split("\t")[1], 16)
    for pc, function, offset, file, line in sorted(set(frames)):
        if not re.match(r"main\.|sort\.Slice|runtime\.main", function):
            continue
        pc = int(pc, 16) - slide
        said.append(f"frame {pc:#x} {function}+0x{offset} {file}:{line}")
        questions.append(f"frames {pc:x}")
    environment = {**os.environ, "GOTRACEBACK": "system"}
    done = subprocess.run([str(build.path), "panic", "generic"], capture_output=True, text=True, env=environment)
    stacks = 0
    for _, stack in traceback(done.stderr):
        own = [frame for frame in stack if frame and frame[3] is not None]
        if not any(frame[0].startswith("main.") for frame in own) or stacks == 8:
            continue
        stacks += 1
        for name, file, line, offset, size, pc in own:
            said.append(f"call {name} {offset:#x} {file} {line} {pc - slide_of(build, own):#x} {size}")
            questions.append(f"printed {name}\t{offset:x}\t{file}\t{line}")
        bytes_used = sum(frame[4] for frame in own if frame[0] != "runtime.goexit") + 32
        returns = " ".join(f"{frame[5] - slide_of(build, own):#x}" for frame in own)
        said.append(f"stack {bytes_used} {returns}")
        questions.append(f"stack {returns}")
    return sorted(set(said)), questions


def slide_of(build, frames):
    """How far the program was moved, from the first call of which the address is known."""
    for name, file, line, offset, _, pc in frames:
        found = ask("printed", build.path, lines=[f"{name}\t{offset:x}\t{file}\t{line}"])[0].split()
        if len(found) == 1:
            return pc - int(found[0], 16)
    return 0


def said_by_tool(build):
    """What go tool addr2line says of addresses of the program's own functions."""
    rows = [line.split("\t") for line in ask("names", build.path)]
    own = [row for row in rows if row[0].startswith("main.")][::3]
    addresses = [(int(start, 16) + int(end, 16)) // 2 for _, start, end in own]
    answers = run(build.go, "tool", "addr2line", str(build.path),
                  stdin="".join(f"{pc:x}\n" for pc in addresses)).splitlines()
    said = [f"line {pc:#x} {name} {place}" for pc, name, place in zip(addresses, answers[::2], answers[1::2])]
    return said, [f"frames {pc:x}" for pc in addresses]


def cut(build, questions, place):
    """The pieces of the binary that the questions need: (offset, bytes)."""
    file = place / "cut"

    def answers():
        done = subprocess.run([agreement.ANSWERS, "answer", str(file)], capture_output=True,
                              input="".join(f"{line}\n" for line in questions).encode())
        return done.stdout

    return needed(build.path.read_bytes(), file, answers)


def needed(data, file, answers):
    """The pieces of data, which is written to a file, without which answers change: (offset, bytes)."""
    file.write_bytes(data)
    wanted = answers()
    todo = [(0, len(data))]
    pieces = []
    with open(file, "r+b", buffering=0) as out:
        while todo:
            start, end = todo.pop()
            kept = data[start:end]
            if kept.count(0) == len(kept):
                continue
            os.pwrite(out.fileno(), bytes(end - start), start)
            if answers() == wanted:
                continue
            os.pwrite(out.fileno(), kept, start)
            if end - start <= SMALLEST:
                pieces.append((start, kept))
            else:
                middle = (start + end) // 2 // SMALLEST * SMALLEST
                middle = middle if start < middle < end else start + SMALLEST
                todo += [(start, middle), (middle, end)]
    joined = []
    for start, kept in sorted(pieces):
        if joined and joined[-1][0] + len(joined[-1][1]) == start:
            joined[-1] = (joined[-1][0], joined[-1][1] + kept)
        else:
            joined.append((start, kept))
    return joined


def write(path, size, pieces):
    """Writes pieces as tests read them; tells how many bytes that took."""
    packed = struct.pack("<Q", size)
    for offset, kept in pieces:
        packed += struct.pack("<II", offset, len(kept)) + kept
    packed = gzip.compress(packed, 9, mtime=0)
    path.write_bytes(packed)
    return len(packed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", help="the folder for binaries, which is made if need be")
    parser.add_argument("names", nargs="*", help="what to cut, by default everything that there are toolchains for")
    args = parser.parse_args()
    temporary = tempfile.TemporaryDirectory()
    place = Path(args.keep or temporary.name)
    OUT.mkdir(parents=True, exist_ok=True)
    for toolchain in agreement.toolchains():
        for name, (variant, minor, runs) in CUTS.items():
            if not toolchain.version.startswith(f"{minor}.") or (args.names and name not in args.names):
                continue
            build = toolchain.build(variant, place, ["-trimpath"])
            said, questions = said_by_running(build) if runs else said_by_tool(build)
            pieces = cut(build, questions, Path(temporary.name))
            size = write(OUT / f"{name}.cut.gz", build.path.stat().st_size, pieces)
            (OUT / f"{name}.txt").write_text("".join(f"{line}\n" for line in said))
            print(f"{name}: {size} bytes in {len(pieces)} pieces, {len(said)} answers", flush=True)


if __name__ == "__main__":
    main()

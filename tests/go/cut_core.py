#!/usr/bin/env python3
"""Cuts a core file and its program down to what reading the goroutines needs, for tests that need neither
Go nor a kernel that writes core files.

    STACKGAZER_GO=/opt/go1.27 STACKGAZER=target/debug/stackgazer tests/go/cut_core.py
    ... tests/go/cut_core.py --running
    ... tests/go/cut_core.py --annotated

Builds tests/go/live stripped, lets the kernel write a core file of it, and takes away every block of both
files without which what is said of the core stays the same, as cut.py does. testdata/core/NAME.core.cut.gz
and NAME.program.cut.gz have what is left, in the form of cut.py, and NAME.txt the process's own debug=2 dump.
With --running, gcore writes one of tests/go/busy, and NAME is for instance go1.27-busy. With --annotated, it
writes one of tests/go/annotate, with DWARF that isn't compressed; what is said of one goroutine's stack word by
word stays the same, and NAME.txt has the goroutine's number and what the program says of its variables.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import agreement
import core
import cut
import live

OUT = agreement.ROOT / "testdata/core"


def annotated(go, program, folder):
    """The core file of a program whose goroutines tell of their variables, and what the second one says."""
    environment = dict(os.environ, CGO_ENABLED="0", GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
    subprocess.run([go / "bin/go", "build", "-o", program, "-trimpath", "-ldflags=-compressdwarf=false", "."],
                   cwd=agreement.ROOT / "tests/go/annotate", env=environment, check=True)
    process = subprocess.Popen([program, "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)
    try:
        _, said, ready = [process.stdout.readline() for _ in range(3)]
        assert ready == "ready\n"
        return core.write_core("gcore", process, folder), said
    finally:
        process.kill()
        process.wait()


def main():
    tool = os.environ["STACKGAZER"]
    go = Path(os.environ["STACKGAZER_GO"].split(":")[0])
    minor = ".".join((go / "VERSION").read_text().split()[0].split(".")[:2])
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        program = folder / "program"
        if "--running" in sys.argv:
            name, least = f"{minor}-busy", 2
            live.build(go, "stripped", "busy", program)
            dumped = core.core_of_running("gcore", program, folder)
        elif "--annotated" in sys.argv:
            name, least = f"{minor}-annotate", 0
            dumped, said = annotated(go, program, folder)
            (OUT / f"{name}.txt").write_text(said)
        else:
            name, least = minor, 20
            live.build(go, "stripped", "live", program)
            # Goroutines that send and receive end each other; the deepest one has to be there.
            while True:
                dump, dumped = core.dump_and_core("kernel", program, 3, folder)
                if "frames elided" in dump.read_text():
                    break
                dumped.unlink()
            (OUT / f"{name}.txt").write_text(dump.read_text())
        files = {"program": program, "core": dumped}

        def answers():
            if "--annotated" in sys.argv:
                command = [tool, "capture", "--core", files["core"], "--binary", files["program"], "-o", "json",
                           "--annotate", said.split()[0]]
                ran = subprocess.run(command, capture_output=True)
                return [(ran.returncode, ran.stdout, ran.stderr)] * 2
            # The program that is given, and the one that the core names.
            commands = [[tool, "capture", "--core", files["core"], *binary]
                        for binary in (["--binary", files["program"], "--stats"], [])]
            # The number of the process, threads, sizes of stacks.
            commands.append([tool, "export", "-o", "ndjson", files["core"]])
            done = [subprocess.run(command, capture_output=True) for command in commands]
            return [(ran.returncode, ran.stdout, ran.stderr) for ran in done]

        wanted = answers()
        assert all(ran[0] == 0 and ran[1].count(b"goroutine") > least for ran in wanted[:2])
        sizes = []
        for kind, path in list(files.items()):
            files[kind] = folder / f"cut-{kind}"
            pieces = cut.needed(path.read_bytes(), files[kind], answers)
            packed = cut.write(OUT / f"{name}.{kind}.cut.gz", path.stat().st_size, pieces)
            sizes.append(f"{kind} {packed} bytes in {len(pieces)} pieces")
        print(f"{name}: {', '.join(sizes)}")


if __name__ == "__main__":
    main()

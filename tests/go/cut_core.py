#!/usr/bin/env python3
"""Cuts a core file and its program down to what reading the goroutines needs, for tests that need neither
Go nor a kernel that writes core files.

    STACKGAZER_GO=/opt/go1.27 STACKGAZER=target/debug/stackgazer tests/go/cut_core.py
    ... tests/go/cut_core.py --running

Builds tests/go/live stripped, lets the kernel write a core file of it, and takes away every block of both
files without which what is said of the core stays the same, as cut.py does. testdata/core/NAME.core.cut.gz
and NAME.program.cut.gz have what is left, in the form of cut.py, and NAME.txt the process's own debug=2 dump.
With --running, gcore writes one of tests/go/busy, and NAME is for instance go1.27-busy.
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
            # The program that is given, and the one that the core names.
            commands = [[tool, "capture", "--core", files["core"], *binary]
                        for binary in (["--binary", files["program"], "--stats"], [])]
            # The number of the process, threads, sizes of stacks.
            commands.append([tool, "export", "-o", "ndjson", files["core"]])
            done = [subprocess.run(command, capture_output=True) for command in commands]
            return [(ran.returncode, ran.stdout, ran.stderr) for ran in done]

        wanted = answers()
        assert all(ran[1].count(b"goroutine ") > least for ran in wanted[:2])
        sizes = []
        for kind, path in list(files.items()):
            files[kind] = folder / f"cut-{kind}"
            pieces = cut.needed(path.read_bytes(), files[kind], answers)
            packed = cut.write(OUT / f"{name}.{kind}.cut.gz", path.stat().st_size, pieces)
            sizes.append(f"{kind} {packed} bytes in {len(pieces)} pieces")
        print(f"{name}: {', '.join(sizes)}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Watches processes: one that leaks fails, one that doesn't passes, and a signal ends a series with what it has.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 STACKGAZER=target/debug/stackgazer tests/go/watch.py
"""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent
PROGRAM = os.environ.get("STACKGAZER", "target/debug/stackgazer")


class Running:
    """A process that ends with the block."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self.process

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def start(*arguments):
    return subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(watch, code):
    out, said = watch.communicate(timeout=60)
    assert watch.returncode == code, (watch.returncode, said)
    return out, said


def check(pid, code, *more, after=None, signal=signal.SIGINT):
    """The document of a series."""
    watch = start("check", f"pid:{pid}", "--every", "0.1s", "-o", "json", "--watch", *more)
    if after is not None:
        time.sleep(after)
        watch.send_signal(signal)
    out, said = ended(watch, code)
    document = json.loads(out)
    assert document["verdict"] == ("pass" if code == 0 else "fail"), document
    return document, said


def folder_of_captures(pid, folder):
    watch = start("capture", pid, "--watch", 1000, "--every", "0.1s", "--to", folder)
    while not folder.exists() or len(list(folder.glob("*.txt"))) < 3:
        assert watch.poll() is None, watch.communicate()
        time.sleep(0.02)
    watch.send_signal(signal.SIGINT)
    _, said = ended(watch, 0)
    files = list(folder.iterdir())
    assert f"note: {len(files)} captures of 1000 in {folder}\n" in said, said
    for file in files:
        assert file.read_text().count("\ngoroutine ") >= 40, file
    check = subprocess.run([PROGRAM, "check", "--series", folder], stdout=subprocess.PIPE, text=True)
    assert check.returncode == 0, check.stdout
    return len(files)


def main():
    for go in map(pathlib.Path, os.environ["STACKGAZER_GO"].split(":")):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            environment = dict(os.environ, CGO_ENABLED="0", GOTOOLCHAIN="local", GOFLAGS="-mod=mod")
            program = folder / "watch"
            subprocess.run([go / "bin/go", "build", "-o", program, "."], cwd=HERE / "watch", env=environment,
                           check=True)
            with Running(program, "10ms") as process:
                document, said = check(process.pid, 1, "100")
                points = len(document["points"])
                assert "growth is proved" in said and points < 20, said
                assert document["findings"][0]["function"] == "main.leak", document["findings"][0]
            with Running(program) as process:
                steady, _ = check(process.pid, 0, "6")
                assert len(steady["points"]) == 6 and set(steady["totals"]) == {steady["totals"][0]}, steady["totals"]
                for number in (signal.SIGINT, signal.SIGTERM):
                    document, said = check(process.pid, 0, after=1, signal=number)
                    assert f"note: {len(document['points'])} captures" in said, said
                captures = folder_of_captures(process.pid, folder / "captures")
            with Running(program) as process:
                watch = start("check", f"pid:{process.pid}", "--every", "0.1s", "--watch")
                time.sleep(1)
                process.kill()
                process.wait()
                _, said = ended(watch, 2)
                assert "has ended" in said or "no such process" in said, said
            print(f"{go}: growth proved after {points} captures; {captures} captures until SIGINT, all whole")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Holds what is read of core files against what the process printed itself: every parked goroutine's
block, byte by byte. With --running, against the calls that goroutines can only be in: of two that run, and of
one that crashed. The cores are those that gcore (gdb) writes of a running process and those that the
kernel writes of one that dies, which needs a /proc/sys/kernel/core_pattern that names a file.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 tests/go/core.py
    ... tests/go/core.py --by gcore --builds plain,stripped --goroutines 1000,100000
    ... tests/go/core.py --by gcore --running
"""

import argparse
import os
import pathlib
import re
import resource
import signal
import subprocess

import live


def unlimited():
    most = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def write_core(by, process, folder):
    """Makes a core file and tells where it is."""
    if by == "gcore":
        subprocess.run(["gcore", "-o", folder / "core", str(process.pid)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return folder / f"core.{process.pid}"
    process.send_signal(signal.SIGABRT)
    process.wait()
    found = list(folder.glob("core*"))
    assert len(found) == 1, f"the kernel wrote no core file: {found}"
    return found[0]


def dump_and_core(by, program, count, folder):
    """Runs a program and tells where its own dump and its core file are."""
    dump = folder / "dump.txt"
    process = live.start(program.absolute(), dump, count, stderr=subprocess.DEVNULL, cwd=folder,
                         env=dict(os.environ, GOTRACEBACK="crash"), preexec_fn=unlimited)
    try:
        live.dump_itself(process)
        return dump, write_core(by, process, folder)
    finally:
        process.kill()
        process.wait()


def core_of_running(by, program, folder):
    """Where a core file is of a program two goroutines of which run: while they do (gcore), or when a third one
    ended the program."""
    process = subprocess.Popen([program.absolute(), "fails"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, cwd=folder,
                               env=dict(os.environ, GOTRACEBACK="crash"), preexec_fn=unlimited)
    try:
        assert process.stdout.readline() == "ready\n"
        if by == "kernel":
            process.stdin.write("f")
            process.stdin.flush()
            process.wait()
        return write_core(by, process, folder)
    finally:
        process.kill()
        process.wait()


def running(by):
    def compare(command, program, _count, folder):
        core = core_of_running(by, program, folder)
        read = subprocess.run([*command, core], check=True, stdout=subprocess.PIPE, text=True).stdout
        core.unlink()
        calls = {number: (re.search(r"\[(.*)\]:", block)[1], re.findall(r"^(main\.\w+)\(", block, re.M))
                 for number, block in live.blocks(read).items()}
        first = calls.pop(1)
        wrong = []
        if by == "kernel" and first != ("running", ["main.fails", "main.main"]):
            wrong.append(f"the one that crashed: {first}")
        # The kernel's: the runtime stopped all others to tell of the crash.
        for number, (state, stack) in calls.items():
            if stack != ["main.spin", "main.runs"] or by == "gcore" and state != "running":
                wrong.append(f"goroutine {number}: {state}, {stack}")
        if len(calls) != 2:
            wrong.append(f"{len(calls)} goroutines run")
        return wrong, len(calls) + (by == "kernel")
    return compare


def comparison(by):
    def compare(command, program, count, folder):
        dump, core = dump_and_core(by, program, count, folder)
        read = subprocess.run([*command, core], check=True, stdout=subprocess.PIPE, text=True).stdout
        core.unlink()
        return live.differences(live.blocks(dump.read_text()), live.blocks(read))
    return compare


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--by", choices=["gcore", "kernel"], default="kernel")
    options.add_argument("--running", action="store_true")
    is_running = options.parse_known_args()[0].running
    live.run(options, "target/debug/stackgazer capture --core",
             lambda options: (running if is_running else comparison)(options.by),
             "busy" if is_running else "live")


if __name__ == "__main__":
    main()

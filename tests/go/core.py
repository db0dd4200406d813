#!/usr/bin/env python3
"""Holds what is read of core files against what the process printed itself: every parked goroutine's
block, byte by byte. The cores are those that gcore (gdb) writes of a running process and those that the
kernel writes of one that dies, which needs a /proc/sys/kernel/core_pattern that names a file.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 tests/go/core.py
    ... tests/go/core.py --by gcore --builds plain,stripped --goroutines 1000,100000
"""

import argparse
import os
import pathlib
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
    live.run(options, "target/debug/stackgazer capture --core",
             lambda options: comparison(options.by))


if __name__ == "__main__":
    main()

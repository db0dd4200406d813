#!/usr/bin/env python3
"""Counts what the dumps hold, without stackgazer, and writes expect.json into each folder.

Reads Go's text with its own small grammar: enough for the files here, not for every dump.
"""
import gzip
import json
import pathlib
import re
import zipfile
from collections import Counter

HEADER = re.compile(
    r"goroutine (?P<id>\d+)(?: gp=0x[0-9a-f]+ m=(?:nil|\d+ mp=0x[0-9a-f]+))? \["
    r"(?P<inside>(?:[^\]\"]|\"(?:[^\"\\]|\\.)*\")*)\](?: \{(?P<labels>.*)\})?:$"
)
PAIR = re.compile(r'("(?:[^"\\]|\\.)*"|[\w./]*): ("(?:[^"\\]|\\.)*"|[\w./]*)')
WRAPPED = {
    "kubectl-timestamps.txt", "cri.txt", "docker.jsonl", "journald.txt", "escaped.txt", "crlf.txt",
    "spaces.txt", "utf16le.txt", "utf8-bom.txt", "gzipped.log",
}  # fmt: skip
# What each way to end the process leaves behind: written down by hand, from program/main.go.
CRASHES = {
    "panic": ("panic", "order 17 is lost:"),
    "repanic": ("panic", "payment refused"),
    "nilpointer": ("panic", "runtime error: invalid memory address or nil pointer dereference"),
    "mapwrites": ("fatal", "concurrent map writes"),
    "deadlock": ("deadlock", "all goroutines are asleep - deadlock!"),
    "sigquit": ("signal", "SIGQUIT: quit"),
    "crash": ("signal", "SIGQUIT: quit"),
    "timeout": ("timeout", "test timed out after 1s"),
    "bubble": ("deadlock", "deadlock: main bubble goroutine has exited but blocked goroutines remain"),
}


def unquote(text):
    return json.loads(text) if text.startswith('"') else text


def traceback(lines):
    """Every goroutine of a traceback: id, state, flags, labels, wait, creator."""
    found, in_panic, blank = [], False, True
    elided = unavailable = ancestors = 0
    for line in lines:
        if line.startswith(("panic: ", "fatal error: ")):
            in_panic = True
        # Below a panic value, only a header after a blank line is one.
        if (match := HEADER.match(line)) and (not in_panic or blank):
            in_panic = False
            inside = match["inside"]
            pairs = match["labels"] or ""
            if " labels:{" in inside:
                inside, pairs = inside.split(" labels:{", 1)
            state, *more = inside.split(", ")
            flags = []
            for mark in ("durable", "scan", "leaked"):
                if state.endswith(f" ({mark})"):
                    state = state.removesuffix(f" ({mark})")
                    flags.append(mark)
            minutes = [part for part in more if part.endswith(" minutes")]
            flags += [part for part in more if part not in minutes]
            if match["id"] == "0":
                flags.append("system")
            labels = {unquote(key): unquote(value) for key, value in PAIR.findall(pairs)}
            wait = int(minutes[0].split()[0]) if minutes else 0
            found.append({"id": match["id"], "state": state, "wait": wait, "flags": flags, "labels": labels})
        elided += "frames elided..." in line
        unavailable += line.endswith("stack unavailable")
        ancestors += line.startswith("[originating from goroutine ")
        blank = not line
    states = Counter(one["state"] for one in found)
    flags = Counter(flag for one in found for flag in one["flags"])
    labels = Counter(f"{key}={value}" for one in found for key, value in one["labels"].items())
    waits = [one["wait"] for one in found if "leaked" not in one["flags"]]
    return {
        "format": "goroutine-debug2",
        "goroutines": len(found),
        "ids": len({one["id"] for one in found}),
        "states": states,
        "flags": flags,
        "labels": labels,
        "longest": max(waits, default=None),
        "elided": elided,
        "unavailable": unavailable,
        "ancestors": ancestors,
    }


def count_profile(lines):
    """A debug=1 text: the total that it announces, the sum of its records, its labels."""
    name, total = re.match(r"(\w+) profile: total (\d+)$", lines[0]).groups()
    counts, labels, count = [], Counter(), 0
    for line in lines:
        if match := re.match(r"(\d+) @", line):
            count = int(match[1])
            counts.append(count)
        elif line.startswith("# labels: "):
            for key, value in json.loads(line.removeprefix("# labels: ")).items():
                labels[f"{key}={value}"] += count
    return {
        "format": f"{name}-debug1",
        "announced": int(total),
        "goroutines": sum(counts),
        "labels": labels,
    }


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value, shift, at = value | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a protobuf message, as (number, value)."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 2:
            length, at = varint(data, at)
            yield key >> 3, data[at : at + length]
            at += length
        else:
            value, at = varint(data, at)
            yield key >> 3, value


def proto(data):
    """A debug=0 proto: the sum of the first value of its samples, and its labels."""
    top = list(fields(data))
    strings = [value.decode() for number, value in top if number == 6]
    kind = dict(fields(next(value for number, value in top if number == 1)))
    total, labels = 0, Counter()
    for sample in (value for number, value in top if number == 2):
        values, pairs = 0, []
        for number, value in fields(sample):
            if number == 2:
                values = varint(value, 0)[0] if isinstance(value, bytes) else value
            if number == 3:
                label = dict(fields(value))
                pairs.append(f"{strings[label[1]]}={strings[label.get(2, 0)]}")
        total += values
        for pair in pairs:
            labels[pair] += values
    return {"format": f"{strings[kind[1]]}-debug0", "goroutines": total, "labels": labels}


def unwrapped(path):
    """The lines of a log of `go test`, out of their containers."""
    text = path.read_text()
    if path.suffix == ".jsonl":
        events = map(json.loads, text.splitlines())
        text = "".join(event["Output"] for event in events if event["Action"] == "output")
    return [line.removeprefix("        ") for line in text.splitlines()]


def read_lines(path):
    return path.read_bytes().decode().split("\n")


def expect(path, panic):
    if path.name in WRAPPED:
        return panic
    if path.parent.name == "pprof":
        return proto(gzip.decompress(path.read_bytes()))
    if path.parent.name == "count":
        return count_profile(read_lines(path))
    found = traceback(unwrapped(path) if path.parent.name == "log" else read_lines(path))
    way = path.stem.rsplit(".", 1)[-1]
    if way in CRASHES:
        kind, text = CRASHES[way]
        found["crash"] = {"kind": kind, "text": text}
        if way == "timeout":
            # Go 1.21 and later tell which tests were running.
            found["crash"]["running_tests"] = 1
    return found


def main():
    here = pathlib.Path(__file__).parent
    panic = None
    for folder in ("traceback", "count", "pprof", "log"):
        answers = {}
        for path in sorted((here / folder).iterdir()):
            if path.name != "expect.json":
                answers[path.name] = expect(path, panic)
                if path.name.endswith(".panic.txt"):
                    panic = answers[path.name]  # the newest one is wrapped into log/
        write(here / folder / "expect.json", answers)
    if (here / "bundle.zip").exists():
        answers = {}
        with zipfile.ZipFile(here / "bundle.zip") as bundle:
            for name in sorted(bundle.namelist()):
                if name.endswith("stacks.txt"):
                    answers[name] = traceback(bundle.read(name).decode().split("\n"))
        write(here / "bundle.expect.json", answers)


def write(path, answers):
    path.write_text(json.dumps(answers, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

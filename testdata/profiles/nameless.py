#!/usr/bin/env python3
"""Writes nameless.pb.gz: functions without a file, without a name, without either, and labels
without a value, which the libraries that write profiles don't write."""

import gzip
from pathlib import Path


def number(value):
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + number(rest) if rest else bytes([low])


def integer(field, value):
    return number(field << 3) + number(value)


def message(field, *parts):
    content = b"".join(parts)
    return number(field << 3 | 2) + number(len(content)) + content


STRINGS = ["", "requests", "count", "main.work", "main.idle", "tenant", "zone", "acme", "main.go"]
# Locations, leaf first; value; labels as key and value.
SAMPLES = [
    ([1, 2], 5, [("tenant", "acme")]),
    ([3, 2], 3, [("tenant", "")]),
    ([4, 2], 2, [("zone", "acme"), ("tenant", "")]),
    ([5, 2], 1, []),
]
# Function and line of each location; name and file of each function.
LOCATIONS = [(1, 12), (2, 30), (1, 14), (3, 0), (4, 9)]
FUNCTIONS = [("main.work", ""), ("main.idle", "main.go"), ("", ""), ("", "main.go")]


def text(field, value):
    return integer(field, STRINGS.index(value)) if value else b""


def label(key, value):
    return message(3, text(1, key), text(2, value))


def parts():
    yield message(1, text(1, "requests"), text(2, "count"))
    for locations, value, labels in SAMPLES:
        of_locations = [integer(1, location) for location in locations]
        yield message(2, *of_locations, integer(2, value), *(label(*one) for one in labels))
    for at, (function, line) in enumerate(LOCATIONS, 1):
        of_line = message(4, integer(1, function), integer(2, line))
        yield message(4, integer(1, at), integer(3, 0x1000 + at), of_line)
    for at, (name, file) in enumerate(FUNCTIONS, 1):
        yield message(5, integer(1, at), text(2, name), text(3, name), text(4, file))
    for string in STRINGS:
        yield message(6, string.encode())


path = Path(__file__).with_name("nameless.pb.gz")
path.write_bytes(gzip.compress(b"".join(parts()), mtime=0))

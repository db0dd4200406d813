#!/usr/bin/env python3
"""Wraps a crash text the way logs do, one file per wrapping: wrap.py FILE DIRECTORY"""
import gzip
import json
import pathlib
import sys

STAMP = "2026-01-02T10:31:41.123456789Z"
source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
text = source.read_text()
lines = text.splitlines()


def write(name, wrapped):
    (folder / name).write_text(wrapped, newline="")


def each(form, every=lines):
    return "".join(form(line) + "\n" for line in every)


write("kubectl-timestamps.txt", each(lambda line: f"{STAMP} {line}"))


def cri(line):
    """containerd splits long lines: the parts before the last are marked P."""
    if len(line) < 60:
        return f"{STAMP} stderr F {line}"
    return f"{STAMP} stderr P {line[:40]}\n{STAMP} stderr F {line[40:]}"


write("cri.txt", each(cri))
docker = {"stream": "stderr", "time": STAMP}
write("docker.jsonl", each(lambda line: json.dumps({"log": line + "\n"} | docker, separators=(",", ":"))))
write("journald.txt", each(lambda line: f"Jan 02 10:31:41 node-1 shop[2296]: {line}"))
escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t").replace("\n", "\\n")
write("escaped.txt", f'time="{STAMP}" level=info msg="=== BEGIN goroutine stack dump ===\\n{escaped}"\n')
write("crlf.txt", text.replace("\n", "\r\n"))
write("spaces.txt", text.replace("\t", "        "))
(folder / "utf16le.txt").write_bytes(b"\xff\xfe" + text.encode("utf-16-le"))
(folder / "utf8-bom.txt").write_bytes(b"\xef\xbb\xbf" + text.encode())
(folder / "gzipped.log").write_bytes(gzip.compress(text.encode(), mtime=0))

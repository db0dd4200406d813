#!/usr/bin/env python3
"""Packs the dumps of several processes as a debug bundle would: bundle.py DIRECTORY ZIP"""
import pathlib
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED, compresslevel=9) as bundle:

    def add(name, data):
        info = zipfile.ZipInfo(f"shop/{name}", date_time=(2026, 1, 2, 10, 31, 40))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        bundle.writestr(info, data)

    add("README.txt", "One folder per node of the shop; see the stacks for what each was doing.\n")
    for node in sorted(path.name for path in folder.iterdir()):
        add(f"nodes/{node}/details.json", '{"node": %s, "region": "eu-1"}\n' % node)
        add(f"nodes/{node}/stacks.txt", (folder / node / "goroutine.debug2.txt").read_bytes())
        # The same moment again in the form without ids: one process is to be counted once.
        add(f"nodes/{node}/stacks_with_labels.txt", (folder / node / "goroutine.debug1.txt").read_bytes())

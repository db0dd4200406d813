#!/usr/bin/env python3
"""pack.py FOLDER ARCHIVE: makes a zip of the files of a folder, the same bytes for the same files."""

import pathlib
import sys
import zipfile

folder = pathlib.Path(sys.argv[1])
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (2026, 1, 2, 10, 31, 40))
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o644 << 16
        archive.writestr(info, path.read_bytes())

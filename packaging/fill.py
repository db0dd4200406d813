#!/usr/bin/env python3
"""Fills the templates for Homebrew and Scoop: version, description and repository are those of
Cargo.toml, checksums those of the archives in FOLDER, where the results are written too."""

import hashlib
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).parent.parent
TEMPLATES = ["stackgazer.rb", "stackgazer.json"]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: packaging/fill.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    package = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]

    def value(match: re.Match[str]) -> str:
        key, _, suffix = match[1].partition(" ")
        if key != "sha256":
            return package[key]
        archive = folder / f"stackgazer-{package['version']}-{suffix}"
        if not archive.exists():
            sys.exit(f"{archive} is missing; build all archives first (packaging/archive.sh)")
        return hashlib.sha256(archive.read_bytes()).hexdigest()

    for name in TEMPLATES:
        text = re.sub(r"\{\{(.*?)\}\}", value, (ROOT / "packaging" / name).read_text())
        (folder / name).write_text(text)
        print(folder / name)


main()

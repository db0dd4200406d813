#!/usr/bin/env python3
"""Holds what is read from Go binaries against what Go itself says of them.

    STACKGAZER_GO=/opt/go1.21:/opt/go1.27 tests/go/agreement.py            everything
    tests/go/agreement.py --only exe,pie --checks functions,addr2line      some of it

Builds tests/go/probe with each toolchain (folders with bin/go, in STACKGAZER_GO) in each variant, runs it,
and compares: functions with `go tool nm`, random addresses with `go tool addr2line`, profiles as text and
as protos, panics, frame sizes with the registers that GOTRACEBACK=system prints, stack sizes with the
process' memory, other binaries, and each binary with one that has lost its section headers. ANSWERS names
the program that answers (by default target/release/examples/answers, of `cargo build --release --example answers`),
STACKGAZER stackgazer itself (target/release/stackgazer). Exit status 1 if something differs.
"""

import argparse
import os
import random
import re
import signal
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = os.environ.get("ANSWERS", str(ROOT / "target/release/examples/answers"))
PROGRAM = os.environ.get("STACKGAZER", str(ROOT / "target/release/stackgazer"))
RANDOM = 9000

# name: environment, arguments
VARIANTS = {
    "exe": ({}, []),
    "strip": ({}, ["-ldflags=-s -w", "-trimpath"]),
    "pie": ({}, ["-buildmode=pie"]),
    "piestrip": ({}, ["-buildmode=pie", "-ldflags=-s -w"]),
    "cgo": ({"CGO_ENABLED": "1"}, ["-ldflags=-linkmode=external"]),
    "cgopie": ({"CGO_ENABLED": "1"}, ["-buildmode=pie", "-ldflags=-s -w -linkmode=external"]),
    "cshared": ({"CGO_ENABLED": "1"}, ["-buildmode=c-shared", "-tags=cshared"]),
}
# Those that can only be looked at here.
FOREIGN = {
    "darwin-amd64": {"GOOS": "darwin", "GOARCH": "amd64"},
    "darwin-arm64": {"GOOS": "darwin", "GOARCH": "arm64"},
    "windows-amd64": {"GOOS": "windows", "GOARCH": "amd64"},
    "linux-arm64": {"GOOS": "linux", "GOARCH": "arm64"},
}
CRASHES = ["nil", "map", "index", "repeat", "overflow", "error", "generic"]
# Where a goroutine's number is in runtime.g, by the minor version of Go.
GOID = {"1.23": 160, "1.24": 160}
GOID_ELSE = 152

counts = Counter()
failed = False


def run(*command, stdin=None, check=True, **more):
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, errors="replace", **more)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return done.stdout


def ask(what, binary, *args, lines=()):
    return run(ANSWERS, what, str(binary), *args, stdin="".join(f"{line}\n" for line in lines)).splitlines()


def report(where, what, compared, wrong, note=""):
    """Says how many of the compared were equal, and shows the first that were not."""
    global failed
    counts[what, "compared"] += compared
    counts[what, "wrong"] += len(wrong)
    failed |= bool(wrong) or compared == 0
    print(f"{where:24} {what:12} {compared - len(wrong):7} of {compared:7}  {note}", flush=True)
    for line in wrong[:3]:
        print(f"    {line}")


class Toolchain:
    """A Go that builds."""

    def __init__(self, folder):
        found = sorted(Path(folder).glob("**/bin/go"))
        self.go = next((str(path) for path in found if (path.parents[1] / "src").exists()), None)
        if self.go is None:
            sys.exit(f"{folder} has no bin/go")
        self.environment = {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "", "GOPROXY": "off",
                            "CGO_ENABLED": "0", "GOROOT": str(Path(self.go).resolve().parents[1])}
        os.environ["GOROOT"] = self.environment["GOROOT"]
        self.version = run(self.go, "env", "GOVERSION").strip().removeprefix("go")

    def build(self, variant, place, more_options=()):
        """The probe as this variant, built unless it is there."""
        more, options = VARIANTS[variant] if variant in VARIANTS else (FOREIGN[variant], [])
        path = place / self.version / "".join([variant, *more_options])
        path.parent.mkdir(parents=True, exist_ok=True)
        environment = {**self.environment, **more}
        if not path.exists():
            run(self.go, "build", *options, *more_options, "-o", str(path), ".", cwd=ROOT / "tests/go/probe", env=environment)
        build = Build(self.go, self.version, variant, path, environment)
        if variant == "cshared":
            build.program = path.with_suffix(".host")
            run("cc", "-o", str(build.program), str(ROOT / "tests/go/probe/host/main.c"), str(path))
        return build


def toolchains():
    """Those that STACKGAZER_GO names, one after the other, as each changes GOROOT."""
    folders = [path for path in os.environ.get("STACKGAZER_GO", "").split(":") if path]
    if not folders:
        sys.exit("STACKGAZER_GO names no toolchain")
    return map(Toolchain, folders)


class Build:
    """A binary of the probe."""

    def __init__(self, go, version, variant, path, environment):
        self.go, self.version, self.variant, self.path = go, version, variant, path
        self.name = f"{version} {variant}"
        self.environment = environment
        # What runs it.
        self.program = path

    def frames(self, addresses, slide=()):
        """The frames of each address: lists of (function, file, line, start line)."""
        answers = ask("frames", self.path, *slide, lines=[f"{pc:x}" for pc in addresses])
        split = [[tuple(frame.split("\t")) for frame in line.split("\x1f") if frame] for line in answers]
        assert len(split) == len(addresses)
        return dict(zip(addresses, split))


def printed(name):
    """A name as panics and debug=1 print it."""
    start, end = name.find("["), name.rfind("]")
    return name if start < 0 or end < start else f"{name[:start]}[...{name[end:]}"


def functions(build):
    """Every function of the symbol table, by address and name."""
    symbols = {}
    # It fails where there are no symbols.
    for line in run(build.go, "tool", "nm", str(build.path), check=False).splitlines():
        fields = line.split(maxsplit=2)
        if len(fields) == 3 and fields[1] in "tT":
            symbols.setdefault(int(fields[0], 16), set()).add(fields[2])
    if not symbols:
        return
    ours = [line.split("\t") for line in ask("names", build.path)]
    wrong = []
    for name, start, _ in ours:
        known = symbols.get(int(start, 16), set())
        # Tables of 1.19 have type arguments as dots. In symbols the linker marks functions by their ABI,
        # writes a plain dot for a raised one, and on macOS an underscore in front.
        known = {printed(symbol.removesuffix(".abi0").removesuffix(".abiinternal")) for symbol in known}
        known |= {symbol.removeprefix("_") for symbol in known}
        if printed(name).replace("·", ".") not in {symbol.replace("·", ".") for symbol in known}:
            wrong.append(f"{start} {name}: nm has {sorted(known)[:3]}")
    report(build.name, "functions", len(ours), wrong)


def addr2line(build, seed=1):
    """Random addresses of code, as go tool addr2line."""
    rows = [(int(start, 16), int(end, 16)) for _, start, end in
            (line.split("\t") for line in ask("names", build.path))]
    low, high = min(start for start, _ in rows), max(end for _, end in rows)
    pick = random.Random(seed)
    addresses = sorted(f"{pick.randrange(low, high):x}" for _ in range(RANDOM))
    shift = misplaced_text(build)
    lines = "".join(f"{int(pc, 16) + shift:x}\n" for pc in addresses)
    theirs = run(build.go, "tool", "addr2line", str(build.path), stdin=lines).splitlines()
    ours = ask("addr2line", build.path, lines=addresses)
    wrong = [f"{pc}: {got}, go tool addr2line: {want}" for pc, got, want in zip(
        addresses, zip(ours[::2], ours[1::2]), zip(theirs[::2], theirs[1::2])) if got != want]
    if set(theirs) <= {"?", "?:0"}:
        print(f"{build.name:24} addr2line    go tool addr2line finds nothing in this binary")
        return
    note = f"asked for addresses {shift} bytes away, as it takes .text for the start of Go code" if shift else ""
    report(build.name, "addr2line", len(addresses), wrong, note)


def misplaced_text(build):
    """How far go tool addr2line is off in binaries of Go 1.26 and newer that have C code in front of Go's and
    no symbols: their tables don't tell any more where Go code starts, and it takes the section's start."""
    data = build.path.read_bytes()
    if data[:4] != b"\x7fELF" or build.variant != "cgopie" or int(build.version.split(".")[1]) < 26:
        return 0
    (start,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, start + at * size) for at in range(count)]
    names = sections[names][4]
    address = next(one[3] for one in sections if data[names + one[0]:].startswith(b".text\0"))
    text = next(line for line in ask("info", build.path) if line.startswith("text"))
    return address - int(text.split("\t")[1], 16)


def profiles(build, folder):
    """Every frame of profiles, as text and as protos, and whether the binary is known as theirs."""
    run(str(build.program), "profiles", str(folder), env={**os.environ, "GODEBUG": ""})
    mapping = None
    for path in sorted(folder.glob("*.pb.gz")):
        raw = run(build.go, "tool", "pprof", "-raw", str(path))
        body, _, mappings = raw.partition("Locations\n")[2].partition("Mappings\n")
        # The first one is the program's, or that of the library that was loaded.
        lines = mappings.splitlines()
        line = next((line for line in lines if f" {build.path} " in f"{line} "), lines[0] if lines else "")
        found = re.match(r"\d+: 0x(\w+)/0x(\w+)/0x(\w+) \S* ?(\w*)", line)
        mapping = found.groups() if found else mapping
        chains = {}
        for line in body.splitlines():
            head = re.match(r"\s+\d+: 0x([0-9a-f]+) (?:M=\d+ )?(.*)", line)
            if head:
                chain = chains.setdefault(int(head[1], 16), [])
                line = head[2]
            # What pprof of Go 1.25 takes for a C++ name stands behind.
            frame = re.match(r"\s*(.*) (\S+?):(\d+)(?::\d+)?(?: s=(\d+))?(?:\((\w+)\))?$", line)
            if frame:
                *shown, system_name = frame.groups()
                chain.append((system_name or shown[0], *shown[1:]))
        ours = build.frames(list(chains), mapping[:3])
        wrong, compared = [], 0
        for pc, chain in chains.items():
            if pc == 2**64 - 1 or not chain:
                continue
            compared += 1
            got = [(name, file, line) for name, file, line, _ in ours[pc]]
            want = [(name, file, line) for name, file, line, _ in chain]
            # Protos have one file per function name; instructions that have another lose it.
            same = [(printed(name), line) for name, _, line in got] == [
                (printed(name), line) for name, _, line in want]
            if got != want and same and any(a[1] != b[1] for a, b in zip(got, want)):
                counts["file quirk"] += 1
            elif not same:
                wrong.append(f"{pc:#x}: {got}, {path.name}: {want}")
        # Threads that no cgo call has started have no stack.
        if compared or path.name != "threadcreate.pb.gz":
            report(build.name, "protos", compared, wrong, path.name)
    taken = sorted(folder.iterdir())
    refused = []
    for path in taken:
        done = subprocess.run([PROGRAM, "summarize", str(path), "--binary", str(build.path), "--resymbolize"],
                              capture_output=True, text=True)
        refused += [f"{path.name}: {done.stderr.strip()}"] if done.returncode else []
    report(build.name, "taken", len(taken), refused, "profiles for which the binary is taken")
    texts = {}
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text().splitlines():
            frame = re.match(r"#\t0x([0-9a-f]+)\t(\S+)\+0x([0-9a-f]+)\t+(.*):(\d+)$", line)
            if frame:
                texts.setdefault(path.name, []).append(frame.groups())
    for name, frames in texts.items():
        lines = [f"{pc}\t{function}\t{offset}\t{file}\t{line}" for pc, function, offset, file, line in frames]
        verdict = ask("check", build.path, lines=lines)[0]
        status, slide = verdict.split("\t")
        slide = int(slide, 16) if status == "ok" else 0
        ours = build.frames(sorted({int(pc, 16) - slide for pc, *_ in frames}))
        wrong = [] if status == "ok" else [verdict]
        for pc, function, offset, file, line in frames:
            got = ours[int(pc, 16) - slide]
            if not got or (printed(got[0][0]), got[0][1], got[0][2]) != (function, file, line):
                wrong.append(f"{pc}: {got[:1]}, {name}: {function} {file}:{line}")
        report(build.name, "debug=1", len(frames), wrong, name)
        expected = int(mapping[0], 16) if "pie" in build.variant or build.program != build.path else 0
        if expected and slide & 0xfff:
            report(build.name, "slide", 1, [f"{slide:#x}"])
    return texts, mapping


def traceback(text):
    """The goroutines of a crash: lists of (function, file, line, offset, fp - sp, pc); no offset for
    what was inlined."""
    goroutines, frames, name = [], None, None
    for line in text.splitlines():
        if re.match(r"goroutine \d+ .*\[", line):
            frames, name = [], None
            goroutines.append((int(line.split()[1]), frames))
        elif frames is None:
            continue
        elif line == "":
            frames = None
        elif "frames elided..." in line:
            frames.append(None)
        elif line.startswith("\t") and name is not None:
            place = re.match(r"\t(.*):(\d+)(?: \+0x([0-9a-f]+))?"
                             r"(?: fp=0x([0-9a-f]+) sp=0x([0-9a-f]+) pc=0x([0-9a-f]+))?", line)
            file, number, offset, fp, sp, pc = place.groups()
            size = int(fp, 16) - int(sp, 16) if fp else None
            frames.append((name, file, int(number), offset and int(offset, 16), size, pc and int(pc, 16)))
            name = None
        else:
            name = None if line.startswith("created by") else line[:line.rindex("(")] if "(" in line else None
    return goroutines


def panics(build):
    """Every frame of crashes: its address from name and offset, the chain of what was inlined there, and
    the size of its frame from the registers."""
    for kind in CRASHES:
        environment = {**os.environ, "GOTRACEBACK": "system", "GODEBUG": ""}
        done = subprocess.run([str(build.program), "panic", kind], capture_output=True, text=True, env=environment)
        frames = []
        for _, stack in traceback(done.stderr):
            inlined = []
            for frame in stack:
                if frame is None:
                    inlined = []
                elif frame[3] is None:
                    inlined.append(frame)
                else:
                    frames.append((frame, inlined))
                    inlined = []
        lines = [f"{name}\t{offset:x}\t{file}\t{line}" for (name, file, line, offset, *_), _ in frames]
        found = ask("printed", build.path, lines=lines)
        addresses = [[int(pc, 16) for pc in line.split()] for line in found]
        chains = build.frames(sorted({pc - 1 for some in addresses for pc in some}))
        wrong, unlike, ambiguous, chained, measured = [], [], 0, 0, 0
        slides = Counter()
        for ((name, file, line, offset, _, pc), inlined), some in zip(frames, addresses):
            if not some:
                wrong.append(f"{name} {file}:{line} +{offset:#x}: no address")
                continue
            ambiguous += len(some) > 1
            if pc is not None:
                slides.update({pc - one for one in some})
            if inlined and len(some) == 1:
                chained += 1
                chain = [(printed(got[0]), int(got[2])) for got in chains[some[0] - 1]]
                want = [(one[0], one[2]) for one in inlined] + [(name, line)]
                want = [("runtime.gopanic" if one[0] == "panic" else one[0], one[1]) for one in want]
                # GOTRACEBACK=system prints wrappers (runtime/traceback.go: showfuncinfo); profiles and
                # other crashes leave them out behind what they call.
                if re.search(r"\.gowrap\d+$", name):
                    want.pop()
                if chain != want:
                    wrong.append(f"{name} +{offset:#x}: inlined {chain}, printed {want}")
        slide = slides.most_common(1)[0][0] if slides else 0
        # Functions of one printed name may have frames of different sizes: the printed pc decides.
        sizes = ask("stack", build.path, lines=[f"{(frame[5] or slide) - slide:x}" for frame, _ in frames])
        for ((name, _, _, offset, size, pc), _), some, answer in zip(frames, addresses, sizes):
            if pc is not None and some and pc - slide not in some:
                wrong.append(f"{name}: {some}, printed pc {pc:#x}")
            used, _, _, _, unknown, _ = map(int, answer.split())
            if size is not None and name != "runtime.goexit" and unknown == 0:
                measured += 1
                if used - 32 != size:
                    unlike.append(f"{name} +{offset:#x}: {used - 32} bytes, fp - sp is {size}")
        note = f"{kind}: {ambiguous} with more than one address, {chained} inlined chains"
        report(build.name, "panics", len(frames), wrong, note)
        report(build.name, "fp - sp", measured, unlike, kind)


def memory(pid, address, size):
    with open(f"/proc/{pid}/mem", "rb") as file:
        file.seek(address)
        return file.read(size)


def stacks(build):
    """The stacks of a live process: bounds against its memory."""
    nm = run(build.go, "tool", "nm", str(build.path))
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in nm.splitlines() if len(line.split()) == 3}
    environment = {**os.environ, "GOTRACEBACK": "system"}
    process = subprocess.Popen([str(build.path), "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment)
    process.stdout.readline()
    (start, count) = struct.unpack("<QQ", memory(process.pid, symbols["runtime.allgs"], 16))
    minor = ".".join(build.version.split(".")[:2])
    known = {}
    for (at,) in struct.iter_unpack("<Q", memory(process.pid, start, count * 8)):
        g = memory(process.pid, at, 256)
        (low, high), (sp,) = struct.unpack_from("<QQ", g), struct.unpack_from("<Q", g, 56)
        (goid,) = struct.unpack_from("<Q", g, GOID.get(minor, GOID_ELSE))
        known[goid] = (high - low, high - sp)
    # All frames with their registers.
    process.send_signal(signal.SIGQUIT)
    _, text = process.communicate()
    wanted, whole, profiled = [], [], []
    for goid, stack in traceback(text):
        # The first one is in a system call; of some the middle is left out.
        if goid == 1 or None in stack or goid not in known:
            continue
        frames = [frame for frame in stack if frame[5] is not None]
        wanted.append(goid)
        whole.append(" ".join(f"{frame[5]:x}" for frame in frames))
        # Profiles leave wrappers out.
        seen = [frame for frame in frames if not re.search(r"gowrap\d+$|-fm$", frame[0])
                and frame[1] != "<autogenerated>"]
        profiled.append(" ".join(f"{frame[5]:x}" for frame in seen))
    wrong, hidden, exact, least_sum, size_sum = [], Counter(), 0, 0, 0
    answers = zip(wanted, ask("stack", build.path, lines=whole), ask("stack", build.path, lines=profiled))
    for goid, all_frames, answer in answers:
        used, least, most, truncated, unknown, most_hidden = map(int, answer.split())
        size, truth = known[goid]
        hidden[truth - used, most_hidden] += 1
        exact += least == size
        least_sum, size_sum = least_sum + least, size_sum + size
        if (not least <= size <= most or int(all_frames.split()[0]) != truth or unknown or truncated
                or truth - used > most_hidden):
            wrong.append(f"goroutine {goid}: {used} {least} {most} ({all_frames}), in truth {truth} of {size}")
    note = (f"least exact {exact}, sum of least {least_sum} of {size_sum}; bytes of hidden wrappers (at most): "
            + ", ".join(f"{size} ({most}): {count}" for (size, most), count in sorted(hidden.items())))
    report(build.name, "stacks", len(wanted), wrong, note)


def other_binaries(build, texts, folder):
    """A profile is refused for each binary but its own."""
    frames = texts["goroutine.txt"]
    lines = [f"{pc}\t{function}\t{offset}\t{file}\t{line}" for pc, function, offset, file, line in frames]
    returns = []
    for line in (folder / "goroutine.txt").read_text().splitlines():
        found = re.match(r"\d+ @ (.*)", line)
        returns += [found[1]] if found else []
    source = (ROOT / "tests/go/probe/main.go").read_text()
    with tempfile.TemporaryDirectory() as place:
        rebuilt = Path(place) / "rebuilt"
        copy = Path(place) / "source"
        copy.mkdir()
        (copy / "go.mod").write_text((ROOT / "tests/go/probe/go.mod").read_text())
        (copy / "main.go").write_text(source.replace("func start(each int) {\n", "func start(each int) {\n\tprintln(each)\n"))
        run(build.go, "build", "-o", str(rebuilt), ".", cwd=copy, env=build.environment)
        trimmed = build.path.parent / "strip"
        others = {"itself": build.path, "rebuilt with a line more": rebuilt, "-trimpath -s -w": trimmed,
                  "the go command": Path(build.go)}
        for name, path in others.items():
            if not path.exists():
                continue
            fits = name in ("itself", "-trimpath -s -w")
            for sort, question in [("names", lines), ("calls", returns)]:
                verdict = ask("check", path, lines=question)[0]
                wrong = [] if verdict.startswith("ok") == fits else [f"{name} by {sort}: {verdict}"]
                report(build.name, "other", 1, wrong, f"{name} by {sort}: {verdict[:150]}")


def without_sections(build):
    """The same answers where everything has to be searched for."""
    data = bytearray(build.path.read_bytes())
    if data[:4] != b"\x7fELF":
        return
    struct.pack_into("<Q", data, 40, 0)
    struct.pack_into("<HH", data, 60, 0, 0)
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        want, got = ask("functions", build.path), ask("functions", file.name)
        pcs = [line.split("\t")[2][2:] for line in want][::7]
        want += ask("frames", build.path, lines=pcs) + ask("info", build.path)[6:]
        got += ask("frames", file.name, lines=pcs) + ask("info", file.name)[6:]
        wrong = [f"{b}, by search {a}" for a, b in zip(got, want) if a != b]
        wrong += [] if len(got) == len(want) else ["not as many"]
        report(build.name, "by search", len(want), wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="variants, with commas between them")
    parser.add_argument("--checks", default="", help="checks, with commas between them")
    parser.add_argument("--keep", help="the folder for binaries, which is made if need be")
    args = parser.parse_args()
    wanted = set(filter(None, args.only.split(",")))
    checks = set(filter(None, args.checks.split(",")))
    temporary = tempfile.TemporaryDirectory()
    place = Path(args.keep or temporary.name)

    def on(check):
        return not checks or check in checks

    for toolchain in toolchains():
        for variant in [*VARIANTS, *FOREIGN]:
            if wanted and variant not in wanted:
                continue
            build = toolchain.build(variant, place)
            if on("functions"):
                functions(build)
            if on("addr2line"):
                addr2line(build)
            if on("search"):
                without_sections(build)
            if variant in FOREIGN:
                continue
            with tempfile.TemporaryDirectory() as folder:
                if on("profiles"):
                    texts, _ = profiles(build, Path(folder))
                    if variant == "exe":
                        other_binaries(build, texts, Path(folder))
            if on("panics"):
                panics(build)
            if on("stacks") and variant == "exe":
                stacks(build)
    print()
    for what in sorted({key[0] for key in counts if isinstance(key, tuple)}):
        compared, wrong = counts[what, "compared"], counts[what, "wrong"]
        print(f"{what:12} {compared - wrong} of {compared} agree")
    print(f"files that protos have lost: {counts['file quirk']}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

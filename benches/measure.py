#!/usr/bin/env python3
"""Measures stackgazer in pairs against wc, grep and, where installed, rg, unzip and go tool pprof.

    cargo build --profile dist && benches/measure.py            # every row, a few minutes
    benches/measure.py --rows dump,zip --pairs 21 --quick   # some rows, small inputs

How it measures: a pair is one run of stackgazer and one of the other, in turns, in an order that
alternates, with the files in the page cache. A run's time is user plus system CPU time of the
process (getrusage of the child), or wall time where a row says so. What is printed is the median of
the ratios of the pairs, with the quartiles as spread, and the ratio of the two minima, which noise
of the machine disturbs least. Peak memory is the kernel's ru_maxrss, which is never less than that of
the process that starts the run: a Python of 5 MiB. Programs that were built here are measured as
copies, as an installation makes them: as linkers leave them in the page cache, they take 5 % longer
for a small dump.
"""
import argparse
import builtins
import hashlib
import json
import math
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


class Run:
    """One run of a process: CPU seconds, wall seconds."""

    def __init__(self, command, folder):
        out = open(os.devnull, "wb")
        start = time.perf_counter()
        # grep and others stop early when they write to /dev/null, so they get a pipe.
        piped = command[0] not in BUILDS
        process = subprocess.Popen(
            [str(part) for part in command], cwd=folder, env=ENVIRONMENT,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE if piped else out,
            stderr=subprocess.DEVNULL)
        if piped:
            while process.stdout.read(1 << 20):
                pass
            process.stdout.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.wall = time.perf_counter() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        # grep says 1 where nothing was found; go tool pprof fails loudly.
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(map(str, command))}: exit {process.returncode}")


# Copies of stackgazer.
BUILDS = []


def installed(program, options, as_name=None):
    """A copy of a program."""
    copy = options.folder / f"installed-{as_name or program.name}"
    copy.unlink(missing_ok=True)
    return str(shutil.copy(program, copy))


# Starts its arguments and prints their ru_maxrss.
LEAN = """
import os, sys
pid = os.fork()
if not pid:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(usage.ru_maxrss)
sys.exit(status != 0)
"""


def peak(command, folder):
    """The peak memory of a run, in MiB."""
    lean = [sys.executable, "-I", "-S", "-c", LEAN, *map(str, command)]
    run = subprocess.run(lean, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, check=True)
    return int(run.stdout) / (1 << 20 if platform.system() == "Darwin" else 1 << 10)


def pairs(one, other, options, of="cpu"):
    """Runs both in turns; answers their runs."""
    runs = ([], [])
    for at in range(options.pairs + 1):
        for side in ((0, 1), (1, 0))[at % 2]:
            runs[side].append(Run((one, other)[side], options.folder))
    # The first pair only warms caches.
    return runs[0][1:], runs[1][1:]


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4)
    return low, high


ROWS = []
RESULTS = []


def compare(name, one, other, goal, options, of="cpu"):
    goal = None if QUICK else goal
    ours, theirs = pairs(one, other, options)
    take = lambda runs: [getattr(run, of) for run in runs]
    ratios = [a / max(b, 1e-6) for a, b in builtins.zip(take(ours), take(theirs))]
    low, high = quartiles(ratios)
    minimum = min(take(ours)) / max(min(take(theirs)), 1e-6)
    row = {
        "row": name, "of": of, "goal": goal, "median": statistics.median(ratios), "low": low,
        "high": high, "minima": minimum, "seconds": statistics.median(take(ours)),
        "pairs": len(ratios),
    }
    RESULTS.append(row)
    verdict = "" if goal is None else ("ok  " if row["median"] <= goal else "MISS")
    goal = "" if goal is None else f"goal {goal:g}"
    print(f"{verdict:4} {name:58} {row['median']:6.2f} x  ({low:.2f} to {high:.2f}; minima {minimum:.2f})"
          f"  {row['seconds'] * 1000:8.1f} ms {of}  {goal}", flush=True)
    return row


def note(name, value, goal, unit):
    goal = None if QUICK else goal
    RESULTS.append({"row": name, "value": value, "goal": goal, "unit": unit})
    verdict = "" if goal is None else ("ok  " if value <= goal else "MISS")
    print(f"{verdict:4} {name:58} {value:6.2f} {unit}"
          f"  {'' if goal is None else f'goal {goal:g}'}", flush=True)


def generate(options, form, size=None, goroutines=None, stacks=3000, **more):
    """A generated file; made once for each version of the generator and kept in the folder."""
    what = f"{goroutines}g" if goroutines else size
    extra = "".join(f"-{key}{value}" for key, value in more.items())
    path = options.folder / f"{GENERATOR}-{form}-{what}-{stacks}{extra}"
    if not path.exists():
        build = ["cargo", "build", "--release", "--quiet", "--example", "generate"]
        subprocess.run(build, cwd=ROOT, check=True)
        command = [GENERATE, "--form", form, "--stacks", str(stacks), "--to", str(path) + ".part"]
        command += ["--goroutines", str(goroutines)] if goroutines else ["--bytes", size]
        for key, value in more.items():
            command += [f"--{key}", str(value)]
        subprocess.run(command, check=True)
        os.rename(str(path) + ".part", path)
    Run(["cat", path], options.folder)
    return path


def row(function):
    ROWS.append(function)
    return function


def summary(path, *more, threads=1):
    return [STACKGAZER, "summarize", "-o", "json", "--threads", str(threads), *more, path]


def large(options):
    return "20M" if options.quick else "220M"


def mostly_distinct(options):
    """How many distinct stacks, and a dump with twice as many goroutines."""
    count = 3000 if options.quick else 100_000
    return count, generate(options, "debug2", goroutines=count * 2, stacks=count)


def bundle(options):
    return generate(options, "bundle", "18M" if options.quick else "185M")


@row
def dump(options):
    """summarize of a large dump against wc, grep, rg"""
    path = generate(options, "debug2", large(options))
    compare("summarize / grep -c '^goroutine '", summary(path),
            ["grep", "-c", "^goroutine ", path], 1.0, options)
    compare("summarize / wc -l", summary(path), ["wc", "-l", path], 3.0, options)
    if shutil.which("rg"):
        compare("summarize / rg -c '^goroutine '", summary(path),
                ["rg", "-c", "^goroutine ", path], None, options)


@row
def distinct(options):
    """the same where most stacks are distinct"""
    count, path = mostly_distinct(options)
    usual = generate(options, "debug2", goroutines=count * 2)
    compare(f"{count} distinct stacks / 3,000, as many goroutines", summary(path), summary(usual),
            None, options)
    compare(f"{count} distinct stacks / grep", summary(path),
            ["grep", "-c", "^goroutine ", path], None, options)


@row
def threads(options):
    """two threads on one file, wall time"""
    path = generate(options, "debug2", "100M" if options.quick else "1G")
    compare("summarize, two threads / one", summary(path, threads=2), summary(path), 0.6, options,
            of="wall")


@row
def written(options):
    """every goroutine written"""
    path = generate(options, "debug2", large(options))
    for command in ("export", "filter"):
        compare(f"{command} -o ndjson / summarize",
                [STACKGAZER, command, "-o", "ndjson", "--threads", "1", path], summary(path), 2.5,
                options)


@row
def whole(options):
    """every goroutine looked at, or put into a profile"""
    path = generate(options, "debug2", large(options))
    for name, command in (("check", ["check", "-o", "json"]), ("export -o pprof", ["export", "-o", "pprof"])):
        compare(f"{name} / summarize", [STACKGAZER, *command, "--threads", "1", path], summary(path),
                2.0, options)


@row
def zip(options):
    """a bundle of 64 nodes"""
    path = bundle(options)
    if shutil.which("unzip"):
        compare("summarize bundle / unzip -p", summary(path),
                ["unzip", "-p", path, "*/stacks.txt"], 0.35, options)


@row
def profiles(options):
    """protos and debug=1 texts against go tool pprof"""
    count = 10_000 if options.quick else 100_000
    go = options.go or shutil.which("go")
    if go is None:
        return print("     go isn't installed: no comparison with go tool pprof (--go GO)")
    go = pathlib.Path(go)
    tool = list(go.resolve().parent.parent.glob("pkg/tool/*/pprof"))
    built = options.folder / "pprof"
    if not tool and not built.exists():
        # Since Go 1.25 the tool isn't shipped but built when it is first run.
        subprocess.run([go, "build", "-o", built, "cmd/pprof"], check=True, env=ENVIRONMENT)
    pprof = tool[0] if tool else installed(built, options)
    for form, goal in (("pprof", 1.0), ("debug1", 0.2)):
        path = generate(options, form, goroutines=count)
        compare(f"summarize {form} / go tool pprof -top", summary(path),
                [pprof, "-top", path], goal, options)


@row
def start(options):
    """start to end on a small dump, wall time"""
    path = generate(options, "debug2", "1500K", stacks=500)
    best = [Run(summary(path), options.folder).wall * 1000 for _ in range(2 * options.pairs)]
    note("1.5 MB, start to end, median", statistics.median(best), 5, "ms wall")
    note("1.5 MB, start to end, minimum", min(best), None, "ms wall")
    best = [Run(["true"], options.folder).wall * 1000 for _ in range(2 * options.pairs)]
    note("true (what starting a process costs), median", statistics.median(best), None, "ms wall")


@row
def logs(options):
    """dumps in logs against the plain dump"""
    plain = summary(generate(options, "debug2", large(options)))
    for form, goal in (("kubectl", 3), ("docker", 6)):
        path = generate(options, form, large(options))
        compare(f"{form} / plain", summary(path), plain, goal, options)


@row
def memory(options):
    """peak memory"""
    for size in ("20M", "100M") if options.quick else ("50M", "220M", "1G"):
        path = generate(options, "debug2", size)
        runs = [peak(summary(path), options.folder) for _ in range(3)]
        note(f"peak of summarize, {size}", max(runs), 24, "MiB and distinct stacks")
        goroutines = subprocess.run(["grep", "-c", "^goroutine ", path], capture_output=True)
        of_columns = int(goroutines.stdout) * 32 / (1 << 20)
        export = [STACKGAZER, "export", "-o", "ndjson", "--threads", "1", path]
        note(f"peak of export, 32 B a goroutine = {of_columns:.1f} MiB more",
             peak(export, options.folder), 24 + of_columns, "MiB and distinct stacks")
    count, path = mostly_distinct(options)
    note(f"peak of summarize, {count} distinct stacks", peak(summary(path), options.folder), None, "MiB")
    note("peak of summarize, bundle", peak(summary(bundle(options)), options.folder), None, "MiB")


@row
def old(options):
    """an older build on large inputs: --old BINARY"""
    if options.old is None:
        return print("     --old names no older build")
    before = installed(options.old.resolve(), options, "stackgazer-old")
    BUILDS.append(before)
    count, distinct = mostly_distinct(options)
    plain = generate(options, "debug2", large(options))
    # Of 3,000 stacks these take 20 ms, of which starting is a tenth.
    profile, text = (generate(options, form, goroutines=10 * count, stacks=count * 3 // 10)
                     for form in ("pprof", "debug1"))
    logs = [(generate(options, form, large(options)), ["summarize"]) for form in ("kubectl", "docker")]
    for path, command in (
        (plain, ["summarize"]), (plain, ["check", "-o", "json"]), (plain, ["export", "-o", "pprof"]),
        (plain, ["export", "-o", "ndjson"]), (plain, ["filter", "--wait", "1+", "-o", "csv"]),
        (distinct, ["summarize"]), (bundle(options), ["summarize"]), (profile, ["summarize"]),
        (text, ["summarize"]), *logs,
    ):
        form = path.name.removeprefix(f"{GENERATOR}-")
        arguments = [*command, "--threads", "1", path]
        compare(f"{' '.join(command)} {form}, new / old", [STACKGAZER, *arguments], [before, *arguments], 1.05, options)


def exponent(name, options, inputs):
    """Growth of CPU time from the first to the last of (size, path)."""
    best = [min(Run(summary(path), options.folder).cpu for _ in range(options.pairs))
            for _, path in inputs]
    sizes = [size for size, _ in inputs]
    slope = math.log(best[-1] / best[0]) / math.log(sizes[-1] / sizes[0])
    print(f"     {name}: " + ", ".join(
        f"{size:,}: {seconds * 1000:.1f} ms" for size, seconds in builtins.zip(sizes, best)))
    note(f"{name}: exponent", slope, 1.05, "")


@row
def growth(options):
    """growth with size and with distinct stacks"""
    sizes = [20, 100] if options.quick else [50, 220, 1000]
    exponent("MB", options, [(s, generate(options, "debug2", f"{s}M" if s < 1000 else "1G"))
                             for s in sizes])
    counts = [3000, 30_000] if options.quick else [3000, 30_000, 300_000]
    exponent("goroutines, each a stack of its own", options,
             [(n, generate(options, "debug2", goroutines=n, stacks=n)) for n in counts])


def main():
    global STACKGAZER, GENERATE, GENERATOR, ENVIRONMENT, QUICK
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = ", ".join(function.__name__ for function in ROWS)
    parser.add_argument("--rows", default="", help=f"of {names}; all if not given")
    parser.add_argument("--pairs", type=int, default=11, help="pairs of runs of each comparison")
    parser.add_argument("--quick", action="store_true", help="small inputs: a trial, not a result")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path(
        tempfile.gettempdir()) / "stackgazer-bench", help="where generated files are kept (3 GB)")
    parser.add_argument("--binary", type=pathlib.Path,
                        default=ROOT / "target/dist/stackgazer", help="what is measured")
    parser.add_argument("--old", type=pathlib.Path, help="an older build, which row old compares with")
    parser.add_argument("--go", help="the go command, if it isn't in PATH")
    parser.add_argument("--json", type=pathlib.Path, help="also write the results here")
    options = parser.parse_args()
    # The goals are those of large inputs.
    QUICK = options.quick
    GENERATE = ROOT / "target/release/examples/generate"
    sources = b"".join(path.read_bytes() for path in sorted((HERE / "generate").glob("*.rs")))
    GENERATOR = hashlib.sha256(sources).hexdigest()[:8]
    # The fast way of grep and wc.
    ENVIRONMENT = {**os.environ, "LC_ALL": "C"}
    options.folder.mkdir(parents=True, exist_ok=True)
    STACKGAZER = installed(options.binary.resolve(), options)
    BUILDS.append(STACKGAZER)
    wanted = [name for name in options.rows.split(",") if name]
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} CPUs, load {load:.1f}, {platform.system()} {platform.release()}; "
          f"{options.pairs} pairs; CPU time unless a row says wall; median of ratios (quartiles)")
    for function in ROWS:
        if not wanted or function.__name__ in wanted:
            print(f"{function.__name__}: {function.__doc__}")
            function(options)
    if options.json:
        options.json.write_text(json.dumps(RESULTS, indent=1) + "\n")


if __name__ == "__main__":
    main()

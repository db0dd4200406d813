#!/usr/bin/env python3
"""Whether the queries answer what stackgazer itself answers of the same dumps.

queries/test.py [--spark | --clickhouse] [PROGRAM]

Makes the tables of a small fleet of real dumps (testdata/), three days of up to twelve nodes, and asks every query
in DuckDB (pip install duckdb), in a local Spark (pip install pyspark; needs Java 17 or later), or in ClickHouse
(pip install chdb: what clickhouse-local is, as a module).
"""

import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
DAYS = ["2026-11-21", "2026-11-22", "2026-11-23"]
SCENARIOS = [
    "abandoned-sender", "broadcast", "forgotten-cancel", "growing-pool", "healthy", "lost-lock",
    "premature-return", "ticker", "unclosed-range",
]


class Tool:
    """stackgazer in a folder of its own."""

    def __init__(self, program: pathlib.Path, folder: pathlib.Path) -> None:
        self.program, self.folder = program, folder

    def text(self, *arguments: str) -> str:
        ran = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True, text=True)
        if ran.returncode > 1:
            sys.exit(f"stackgazer {' '.join(arguments)}: {ran.stderr}")
        return ran.stdout

    def rows(self, *arguments: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.text(*arguments, "-o", "csv"))))

    def json(self, *arguments: str) -> dict:
        return json.loads(self.text(*arguments, "-o", "json"))


def make_fleet(tool: Tool) -> None:
    """dumps/DAY/NODE.txt, and the tables of each."""
    leaks = zipfile.ZipFile(ROOT / "testdata/leaks/go1.27.3.zip")
    shop = zipfile.ZipFile(ROOT / "testdata/bundle.zip")
    for number, day in enumerate(DAYS, 1):
        # What the last of them shows is new on the last day.
        scenarios = SCENARIOS if day == DAYS[-1] else SCENARIOS[:-1]
        dumps = {name: leaks.read(f"{name}/{number}.txt") for name in scenarios}
        # One that is unlike the others, with goroutines that have waited for minutes.
        dumps["shop"] = shop.read(f"shop/nodes/{number}/stacks.txt")
        for node, dump in dumps.items():
            path = tool.folder / "dumps" / day / f"{node}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(dump)
            name = path.relative_to(tool.folder)
            to = f"fleet/date={day}/node={node}"
            tool.text("export", str(name), f"--input-name={name}={node}", "-o", "parquet", "--to", to)


def duckdb_engine(folder: pathlib.Path):
    import duckdb

    os.chdir(folder)
    connection = duckdb.connect()
    connection.execute((ROOT / "queries/duckdb.sql").read_text())
    return lambda text: connection.execute(text).fetchall()


def spark_engine(folder: pathlib.Path):
    from pyspark.sql import SparkSession

    os.chdir(folder)
    session = (
        SparkSession.builder.master("local[2]").appName("stackgazer")
        .config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")

    def ask(text: str) -> list[tuple]:
        return [tuple(row) for row in session.sql(text).collect()]

    for statement in statements((ROOT / "queries/spark.sql").read_text()):
        ask(statement)
    return ask


def clickhouse_engine(folder: pathlib.Path):
    from chdb.session import Session

    os.chdir(folder)
    session = Session()

    def ask(text: str) -> list[tuple]:
        answer = session.query(text, "JSONCompact")
        return [tuple(row) for row in json.loads(answer.bytes() or b'{"data": []}')["data"]]

    for statement in statements((ROOT / "queries/clickhouse.sql").read_text()):
        session.query(statement)
    return ask


ENGINES = {"duckdb": duckdb_engine, "spark": spark_engine, "clickhouse": clickhouse_engine}


def statements(text: str) -> list[str]:
    """The statements of a file: no text in them holds a semicolon."""
    code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    return [statement.strip() for statement in code.split(";") if statement.strip()]


def number(text: str | None) -> float | None:
    return None if text in (None, "") else float(text)


def count(rows: list[dict[str, str]], key: str, *fields: str) -> list[tuple]:
    return sorted((row[key], *(number(row[field]) for field in fields)) for row in rows)


def as_floats(rows: list[tuple], places: list[int]) -> list[tuple]:
    """Columns at these places, the first as it is and the others as numbers."""
    first, *others = places
    return sorted((row[first], *(None if row[at] is None else float(row[at]) for at in others)) for row in rows)


def check_summary(tool: Tool, rows: list[tuple]) -> None:
    of_tool = tool.rows("summarize", f"dumps/{DAYS[-1]}", "-n0")
    expected = count(of_tool, "category", "total", "stacks", "wait_minutes_min", "wait_minutes_max")
    same(as_floats(rows, [0, 1, 2, 3, 4]), expected)


def check_top(tool: Tool, rows: list[tuple]) -> None:
    of_tool = tool.rows("summarize", "--by", "stack", f"dumps/{DAYS[-1]}", "-n0")
    expected = count(of_tool, "stack", "total", "wait_minutes_min", "wait_minutes_max")
    same(as_floats(rows, [0, 3, 5, 6]), expected)
    totals = [float(row[3]) for row in rows]
    same(totals, sorted(totals, reverse=True))


def check_outliers(tool: Tool, rows: list[tuple]) -> None:
    of_tool = tool.json("summarize", f"dumps/{DAYS[-1]}")["verdict"]["outliers"]
    # Those that differ in all that they have, and in no name, are in no row.
    expected = [one for one in of_tool if one["name"] is not None]
    assert expected, "the fleet has a node that is unlike the others"
    told = []
    for node in dict.fromkeys(row[0] for row in rows):
        of_node = [row for row in rows if row[0] == node]
        # stackgazer tells the farthest, and how many more there are.
        told.append((node, of_node[0][1], of_node[0][2], float(of_node[0][3]), len(of_node) - 1))
    names = lambda one: one["input"].removesuffix(".txt")
    same(
        sorted(told),
        sorted((names(one), one["category"], one["name"], float(one["goroutines"]), one.get("more", 0)) for one in expected),
    )


def check_new(tool: Tool, rows: list[tuple]) -> None:
    of_tool = tool.rows("diff", "--by", "shape", f"dumps/{DAYS[1]}", f"dumps/{DAYS[2]}", "-n0")
    expected = [row for row in of_tool if row["status"] == "new"]
    assert expected, "something is new"
    same(as_floats(rows, [0, 3]), count(expected, "shape", "count_2"))


def check_leaks(tool: Tool, rows: list[tuple]) -> None:
    asked = 'wait >= 1m or flag == "leaked"'
    of_tool = tool.rows("summarize", "--by", "module", f"dumps/{DAYS[-1]}", "--where", asked, "-n0")
    assert of_tool, "something waits"
    same(as_floats(rows, [0, 1, 2]), count(of_tool, "module", "cum", "stacks"))


def check_growth(tool: Tool, rows: list[tuple]) -> None:
    days = [f"dumps/{day}" for day in DAYS]
    of_tool = tool.rows("diff", "--by", "shape", *days, "-n0")
    counts = {row["shape"]: [int(row[f"count_{day}"]) for day in (1, 2, 3)] for row in of_tool}
    growing = {shape: of for shape, of in counts.items() if of[0] < of[1] < of[2]}
    assert growing, "something grows"
    expected = sorted((shape, float(of[0]), float(of[2])) for shape, of in growing.items())
    same(as_floats(rows, [0, 3, 4]), expected)


def same(told: list, expected: list) -> None:
    close = len(told) == len(expected) and all(
        len(a) == len(b) and all(x == y or isinstance(x, float) and math.isclose(x, y) for x, y in zip(a, b))
        if isinstance(a, tuple) else a == b
        for a, b in zip(told, expected)
    )
    if not close:
        sys.exit(f"the query says\n{told}\nstackgazer says\n{expected}")


CHECKS = {
    "summary": check_summary,
    "top": check_top,
    "outliers": check_outliers,
    "new": check_new,
    "leaks": check_leaks,
    "growth": check_growth,
}


def main() -> None:
    flags = {f"--{engine}": engine for engine in ENGINES}
    arguments = [argument for argument in sys.argv[1:] if argument not in flags]
    engine = next((engine for flag, engine in flags.items() if flag in sys.argv), "duckdb")
    program = pathlib.Path(arguments[0] if arguments else ROOT / "target/debug/stackgazer").resolve()
    same(sorted(CHECKS), sorted({path.stem for path in (ROOT / "queries").glob("*.sql")} - ENGINES.keys()))
    with tempfile.TemporaryDirectory() as folder:
        tool = Tool(program, pathlib.Path(folder))
        make_fleet(tool)
        ask = ENGINES[engine](tool.folder)
        for name, check in CHECKS.items():
            [statement] = statements((ROOT / f"queries/{name}.sql").read_text())
            rows = ask(statement)
            check(tool, rows)
            print(f"{name}: {len(rows)} rows, as stackgazer has them")
        os.chdir(ROOT)
    print(f"{len(CHECKS)} passed, 0 failed")


main()

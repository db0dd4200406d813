"""What `go tool pprof` and stackgazer show instead of a table, as the same lines."""

import re

SEPARATOR = re.compile(r"^-+\+-+$", re.M)


def read_pprof(view, text, options):
    """What it says; None where it doesn't tell what there is to compare."""
    is_mean = "mean" in options.split(" ")
    if view == "tags":
        return {"lines": tags(text)}
    if view == "traces":
        lines = traces(text, is_rounded=is_mean or "divide_by" in options)
        return None if lines is None else {"lines": lines}
    if view == "call_tree":
        return {"lines": call_tree(text)}
    if view.startswith("list="):
        return {"lines": listings(text)}
    return {"lines": functions(text)}


def read_stackgazer(view, document):
    rows = document["rows"]
    if view == "tags":
        return {
            "lines": [
                tag_line(row["label"], row["total"], value["text"], value["value"])
                for row in rows
                for value in row["values"]
                if value["value"]
            ]
        }
    if view == "traces":
        lines = []
        for row in rows:
            labels = {}
            for label in row["labels"]:
                labels.setdefault(label["key"], []).append(label["text"])
            frames = [" ".join(filter(None, [frame["func"], frame["place"]])) for frame in row["frames"]]
            if frames and row["value"]:
                lines.append(trace_line(labels, frames, row["value"]))
        return {"lines": sorted(lines)}
    if view == "call_tree":
        lines, path = [], []
        for row in rows:
            path[row["depth"] :] = [row["function"]]
            lines.append(branch_line(path, row["flat"], row["cum"]))
        return {"lines": sorted(lines)}
    if view.startswith("list="):
        lines = []
        # pprof leaves out functions without a file.
        for row in (row for row in rows if row["file"]):
            lines.append(f"{row['function']} {row['file']} {row['flat']} {row['cum']}")
            lines += [source_line(line["line"], line["flat"], line["cum"], line["text"]) for line in row["lines"]]
        return {"lines": lines}

    def edges(of):
        return [edge_text(edge["function"], edge["value"], edge["inline"]) for edge in of]

    return {
        "lines": [
            function_line(row["function"], row["flat"], row["cum"], edges(row["callers"]), edges(row["callees"]))
            for row in rows
        ]
    }


def number(text):
    return int(re.sub("[^0-9-]", "", text.split(".")[0]))


def functions(text):
    """Blocks of callers, a function, and callees."""
    lines = []
    for block in SEPARATOR.split(text)[1:]:
        found, callers, callees = None, [], []
        for line in block.splitlines():
            if edge := re.match(r"^ *(\S+) +\S+% \|   (.*?)( \(inline\))?$", line):
                (callees if found else callers).append((edge[2], number(edge[1]), bool(edge[3])))
            elif node := re.match(r"^ *(\S+) +\S+% +\S+% +(\S+) +\S+% +\| (.*)$", line):
                found = (node[3], number(node[1]), number(node[2]))
        if found:
            # Those that are equal but for their sign stand in any order.
            for edges in (callers, callees):
                edges.sort(key=lambda edge: (-abs(edge[1]), edge[0]))
            texts = ([edge_text(*edge) for edge in edges] for edges in (callers, callees))
            lines.append(function_line(*found, *texts))
    return lines


def edge_text(name, value, inline):
    return " ".join([name, str(value), *(["inline"] if inline else [])])


def function_line(name, flat, cum, callers, callees):
    return f"{name} {flat} {cum} < {', '.join(callers)} > {', '.join(callees)}"


def traces(text, is_rounded):
    """Samples: labels, then frames. Those that are equal are added up, those that count nothing left
    out, as they are in stackgazer."""
    sums = {}
    for block in SEPARATOR.split(text)[1:]:
        labels, frames, value = {}, [], 0
        for line in block.strip("\n").splitlines():
            if not frames and (label := re.match(r"^ *(\S.*?):  (.*)$", line)):
                labels[label[1]] = [label[2]]
                continue
            if not frames:
                text, line = line.strip().split("   ", 1)
                value = number(text)
            frames.append(re.sub(r" \(inline\)$", "", line.strip()))
        if frames:
            key = trace_line(labels, frames, "")
            if is_rounded and key in sums:
                # A mean of means isn't the mean, nor a sum of rounded values that of all.
                return None
            sums[key] = sums.get(key, 0) + value
    return sorted(f"{key}{value}" for key, value in sums.items() if value != 0)


def trace_line(labels, frames, value):
    texts = sorted(f"{key}={' '.join(values)}" for key, values in labels.items())
    return f"{' '.join(texts)} | {';'.join(frames)} | {value}"


def tags(text):
    """Labels and their values, but for those that count nothing, and the one that marks a base."""
    lines, key, total, values = [], None, None, []
    for line in [*text.splitlines(), ""]:
        if head := re.match(r"^ *(.*?): +Total (\S+) of ", line):
            key, total = head[1], number(head[2])
        elif row := re.match(r"^ *(\S+)(?: \( *\S+%\))?: +(.*)$", line):
            values.append((number(row[1]), row[2]))
        else:
            if any(value < 0 for value, _ in values):
                # Those that are equal but for their sign stand in any order.
                values.sort(key=lambda pair: (-abs(pair[0]), pair[1]))
            if key != "pprof::base":
                lines += [tag_line(key, total, text, value) for value, text in values if value]
            values = []
    return lines


def tag_line(key, total, text, value):
    # pprof aligns columns by tabs, those at the end of a text too.
    return f"{key} {total} | {text.rstrip()} {value}"


def listings(text):
    """Functions, each with its lines of source and what they are worth."""
    lines, function = [], None
    for line in text.splitlines():
        if head := re.match(r"^ROUTINE =+ (.*) in (.*)$", line):
            function = f"{head[1]} {head[2]}"
        elif sums := re.match(r"^ *(\S+) +(\S+) \(flat, cum\)", line):
            lines.append(f"{function} {number(sums[1])} {number(sums[2])}")
        elif row := re.match(r"^ *(\S+) +(\S+) +(\d+):(.*)$", line):
            flat, cum = (0 if value == "." else number(value) for value in row.groups()[:2])
            lines.append(source_line(int(row[3]), flat, cum, row[4]))
    return lines


def source_line(at, flat, cum, text):
    # pprof writes tabs as blanks.
    return f"{at} {flat} {cum} {' '.join((text or '').split())}"


def call_tree(text):
    """Every node with the way that leads to it."""
    nodes, parents = {}, {}
    for line in text.splitlines():
        if node := re.match(r'^N(\d+) \[label="(.*?)" id="node\d+" .* tooltip="(.*?) \((\S+)\)" color', line):
            flat = re.search(r"(?:^|\\n)([^\s\\]+)(?: \([^()]*%\))?(?:(?:\\n| )of \S+ \([^()]*%\))?$", node[2])
            nodes[node[1]] = (node[3].replace('\\"', '"'), number(flat[1]), number(node[4]))
        elif edge := re.match(r"^N(\d+) -> N(\d+) \[", line):
            parents[edge[2]] = edge[1]
    lines = []
    for node, (name, flat, cum) in nodes.items():
        path = [name]
        while node := parents.get(node):
            path.insert(0, nodes[node][0])
        lines.append(branch_line(path, flat, cum))
    return sorted(lines)


def branch_line(path, flat, cum):
    return f"{';'.join(path)} {flat} {cum}"

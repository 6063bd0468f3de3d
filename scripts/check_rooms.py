#!/usr/bin/env python3
"""The include rule and what else the compiler does not see. Reads text only, takes well under a second.

- a file of room A includes "B/…" only if src/rooms.txt allows A: B, every room is listed there, and the graph is acyclic;
- heavy headers (JSON, CLI11, YAML, regex, spdlog, SQLite, iostream, GoogleTest) appear only in .cc files;
- no file or folder is called util, common or helper(s);
- raw clocks, sleeps, getenv and random numbers appear only in room base;
- headers say #pragma once; a .cc over 500 lines or a header over 250 asks to be split.

A line ending in `// allowed: <reason>` is exempt. Prints file:line: what, and exits 1 if there is anything.

    scripts/check_rooms.py [ROOT]
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
HEAVY = re.compile(r"^(nlohmann/|CLI/|yaml-cpp/|spdlog/|sqlite3\.h$|regex$|iostream$|gtest/|gmock/|boost/|pybind11/)")
VAGUE_NAMES = {"util", "utils", "utilities", "common", "helper", "helpers", "misc"}
RAW_WORLD = [
    (re.compile(r"\b(steady_clock|system_clock|high_resolution_clock)::now\b|\b(clock_gettime|gettimeofday)\s*\(|::time\s*\(\s*(nullptr|NULL|0|&)"), "a raw clock: use base/clock.h"),
    (re.compile(r"\bsleep_(for|until)\b|\b(usleep|nanosleep|clock_nanosleep)\s*\(|(?<![\w.>])(::)?sleep\s*\(\s*\d"), "a raw sleep: use base/clock.h"),
    (re.compile(r"\b(secure_)?getenv\s*\("), "getenv: use base/environment_variable.h"),
    (re.compile(r"\brandom_device\b|\bmt19937\b|(?<![\w.>])(std::|::)?s?rand\s*\("), "raw random numbers: they belong to room base"),
]
MOST_LINES = {".cc": 500, ".h": 250}
EXEMPT = re.compile(r"//\s*allowed:\s*\S")


def read_edges(path):
    """rooms.txt as {room: allowed rooms}, and its problems."""
    edges, problems = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        room, colon, allowed = line.partition(":")
        if not colon:
            problems.append((path, number, "expected 'room: allowed rooms'"))
        elif room.strip() in edges:
            problems.append((path, number, "room %s is listed twice" % room.strip()))
        else:
            edges[room.strip()] = set(allowed.split())
    for room, allowed in edges.items():
        for other in sorted(allowed - edges.keys()):
            problems.append((path, 1, "%s may use %s, which is not a room of the list" % (room, other)))
    return edges, problems


def find_cycle(edges):
    """One cycle of the graph as a list of rooms, or None."""
    finished, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in finished:
            return None
        path.append(room)
        for other in sorted(edges.get(room, ())):
            cycle = visit(other)
            if cycle:
                return cycle
        finished.add(path.pop())
        return None

    for room in sorted(edges):
        cycle = visit(room)
        if cycle:
            return cycle
    return None


def without_comments(text):
    """The text with comments and string contents blanked, its lines kept."""
    def blank(match):
        word = match.group(0)
        if word.startswith(("//", "/*")):
            return re.sub(r"[^\n]", " ", word)
        return word[0] + " " * (len(word) - 2) + word[-1]

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', blank, text, flags=re.S)


def check_file(path, room, edges, in_src=True):
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    header = path.suffix == ".h"
    if header and "#pragma once" not in text:
        yield 1, "a header begins with #pragma once"
    if in_src and len(lines) > MOST_LINES[path.suffix]:
        yield len(lines), "%d lines; past %d a file asks to be split along its ideas" % (len(lines), MOST_LINES[path.suffix])
    code_lines = without_comments(text).splitlines()
    for number, (line, code) in enumerate(zip(lines, code_lines), 1):
        if EXEMPT.search(line):
            continue
        include = INCLUDE.match(line)
        if include:
            quote, target = include.groups()
            other = target.split("/", 1)[0]
            if header and in_src and quote == "<" and HEAVY.match(target):
                yield number, "<%s> in a header: heavy headers belong in .cc files, behind a facade" % target
            if in_src and quote == '"' and "/" in target:
                if other not in edges:
                    yield number, '"%s" does not begin with a room of src/rooms.txt' % target
                elif other != room and other not in edges[room]:
                    yield number, "room %s may not include room %s (src/rooms.txt)" % (room, other)
        elif in_src and room != "base":
            for pattern, what in RAW_WORLD:
                if pattern.search(code):
                    yield number, what


def problems_of(root):
    source = root / "src"
    edges, problems = read_edges(source / "rooms.txt")
    cycle = find_cycle(edges)
    if cycle:
        problems.append((source / "rooms.txt", 1, "the rooms form a cycle: " + " → ".join(cycle)))
    for folder in sorted(p for p in source.iterdir() if p.is_dir()):
        if folder.name not in edges:
            problems.append((folder, 1, "room %s is not in src/rooms.txt" % folder.name))
            continue
        for path in sorted(folder.rglob("*")):
            if path.suffix in MOST_LINES:
                problems += [(path, number, what) for number, what in check_file(path, folder.name, edges)]
    for top in ("src", "tests", "python", "scripts", "packaging", "bench"):
        for path in sorted((root / top).rglob("*")) if (root / top).is_dir() else []:
            if path.stem.lower() in VAGUE_NAMES and "__pycache__" not in path.parts:
                problems.append((path, 1, "'%s' says nothing: name it for what it does" % path.name))
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    problems = problems_of(root)
    for path, number, what in problems:
        print("%s:%d: %s" % (path.relative_to(root), number, what))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()

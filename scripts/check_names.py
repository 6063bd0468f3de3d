#!/usr/bin/env python3
"""One namespace, one owner per type name: the same class defined in two files is undefined behaviour that no compiler reports."""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TYPE = re.compile(r"^(?:struct|class|enum class|enum)\s+(\w+)\s*(?:final\s*)?(?::\s*[^;:][^;]*)?\{")


def types_of(path):
    """Names of types defined at the level of namespace forebay."""
    anonymous = False
    for line in path.read_text().splitlines():
        if re.match(r"namespace\s*\{", line):
            anonymous = True
        elif anonymous and re.match(r"\}\s*//\s*namespace\s*$", line):
            anonymous = False
        elif not anonymous and (match := TYPE.match(line)):
            yield match.group(1)


def main():
    owners = collections.defaultdict(list)
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix in (".h", ".cc"):
            for name in types_of(path):
                owners[name].append(str(path.relative_to(ROOT)))
    clashes = {name: files for name, files in owners.items() if len(files) > 1}
    for name, files in sorted(clashes.items()):
        print("%s is defined in %s: rename all but one" % (name, " and ".join(files)))
    sys.exit(1 if clashes else 0)


if __name__ == "__main__":
    main()

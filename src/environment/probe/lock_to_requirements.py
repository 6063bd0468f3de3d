"""Turns poetry.lock, pdm.lock or Pipfile.lock into a requirements file with hashes: python -I -c <this text> LOCK PYPROJECT.

Prints requirement lines; what cannot be turned is one line "# cannot: NAME: why" on standard error and exit code 3.
"""
import json
import os
import re
import sys


def toml(path):
    for name in ("tomllib", "tomli", "pip._vendor.tomli", "setuptools._vendor.tomli"):
        try:
            module = __import__(name, fromlist=["loads"])
        except ImportError:
            continue
        with open(path, "rb") as file:
            return module.loads(file.read().decode("utf-8"))
    sys.stderr.write("# cannot: %s: this needs Python 3.11 or later, or tomli\n" % path)
    sys.exit(3)


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


FAILURES = []


def line(name, version, marker, hashes, extras=()):
    text = name + ("[%s]" % ",".join(sorted(extras)) if extras else "") + "==" + version
    if marker:
        text += " ; " + marker
    return text + "".join(" \\\n    --hash=" + item for item in sorted(set(hashes)))


def from_source(package, folder):
    """What does not come from an index: a git commit, a URL, a folder."""
    source = package.get("source") or {}
    kind = source.get("type")
    name = package["name"]
    if package.get("git") or kind == "git":
        url, commit = source.get("url") or package.get("git"), source.get("resolved_reference") or package.get("revision") or package.get("ref")
        return "%s @ git+%s@%s" % (name, url, commit)
    if kind == "url" or package.get("url"):
        return "%s @ %s" % (name, source.get("url") or package["url"])
    if kind in ("directory", "file") or package.get("path"):
        path = os.path.normpath(os.path.join(folder, source.get("url") or package["path"]))
        return "-e " + path if package.get("develop") or package.get("editable") else "%s @ file://%s" % (name, path)
    return None


def hashes_of(package, data):
    files = package.get("files") or (data.get("metadata") or {}).get("files", {}).get(package["name"]) or []
    return [item["hash"] for item in files if item.get("hash")]


def poetry_roots(pyproject):
    names = set()
    for text in (pyproject.get("project") or {}).get("dependencies") or []:
        match = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", text)
        if match:
            names.add(canonical(match.group(0)))
    main = ((pyproject.get("tool") or {}).get("poetry") or {}).get("dependencies") or {}
    for name, value in main.items():
        if name != "python" and not (isinstance(value, dict) and value.get("optional")):
            names.add(canonical(name))
    return names


def poetry(data, pyproject, folder):
    packages = {}
    for package in data.get("package", []):
        packages.setdefault(canonical(package["name"]), []).append(package)
    if any("groups" in package for package in data.get("package", [])):
        wanted = {name for name, items in packages.items() if any("main" in item.get("groups", ["main"]) and not item.get("optional") for item in items)}
    else:
        queue, wanted = list(poetry_roots(pyproject)), set()
        while queue:
            name = queue.pop()
            if name in wanted or name not in packages:
                continue
            wanted.add(name)
            for item in packages[name]:
                for other, need in (item.get("dependencies") or {}).items():
                    needs = need if isinstance(need, list) else [need]
                    if not all(isinstance(one, dict) and (one.get("optional") or not applies(one.get("markers"))) for one in needs):
                        queue.append(canonical(other))
    for name in sorted(wanted):
        for package in packages[name]:
            marker = package.get("markers")
            if isinstance(marker, dict):
                marker = marker.get("main")
            if not package.get("groups") and not applies(python_marker(package.get("python-versions"))):
                continue
            yield from_source(package, folder) or line(package["name"], package["version"], marker, hashes_of(package, data))


def python_marker(versions):
    if not versions or versions == "*" or not re.match(r"^[<>=!~0-9., *]+$", versions):
        return None
    parts = []
    for piece in versions.split(","):
        match = re.match(r"\s*([<>=!~]+)\s*([0-9.*]+)\s*$", piece)
        if match:
            parts.append('python_version %s "%s"' % (match.group(1), ".".join(match.group(2).split(".")[:2])))
    return " and ".join(parts) or None


def applies(marker):
    if not marker:
        return True
    for prefix in ("packaging", "pip._vendor.packaging", "setuptools._vendor.packaging"):
        try:
            markers = __import__(prefix + ".markers", fromlist=["Marker"])
        except ImportError:
            continue
        try:
            return markers.Marker(marker).evaluate({"extra": ""})
        except Exception:
            return True
    return True


def pdm(data, folder):
    for package in data.get("package", []):
        groups = package.get("groups")
        if groups is not None and "default" not in groups:
            continue
        if package.get("extras"):
            continue  # the plain package is listed as well
        parts = [package.get("marker"), python_marker(package.get("requires_python"))]
        marker = " and ".join("(%s)" % part for part in parts if part)
        yield from_source(package, folder) or line(package["name"], package["version"], marker, hashes_of(package, data))


def pipfile(data, folder):
    for name, package in sorted((data.get("default") or {}).items()):
        package = dict(package, name=name)
        text = from_source(package, folder)
        if text is None:
            version = package.get("version", "")
            if not version.startswith("=="):
                FAILURES.append((name, "no exact version"))
                continue
            text = line(name, version[2:], package.get("markers"), package.get("hashes") or [], package.get("extras") or ())
        yield text


def main():
    lock, pyproject_path = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    folder, name = os.path.dirname(os.path.abspath(lock)), os.path.basename(lock)
    if name.startswith("Pipfile"):
        with open(lock, "rb") as file:
            lines = pipfile(json.loads(file.read().decode("utf-8")), folder)
    elif name.startswith("poetry"):
        lines = poetry(toml(lock), toml(pyproject_path) if os.path.isfile(pyproject_path) else {}, folder)
    else:
        lines = pdm(toml(lock), folder)
    for text in lines:
        print(text)
    for name, why in FAILURES:
        sys.stderr.write("# cannot: %s: %s\n" % (name, why))
    sys.exit(3 if FAILURES else 0)


main()

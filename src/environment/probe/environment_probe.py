"""Describes the Python environment it runs in; started as `python -I -c <this text>` with a JSON request on standard input.

Reads only: imports nothing of the project, installs nothing, writes one line "FOREBAY-PROBE <json>". Works with Python 3.6 and later.
"""
import json
import os
import re
import sys
import time

STARTED = time.time()
FILE_LIMIT = 4 << 20
NEWER_STDLIB = {"tomllib", "zoneinfo", "graphlib"}

# What is imported under one name and installed under another.
DISTRIBUTION_OF = {
    "cv2": "opencv-python", "sklearn": "scikit-learn", "PIL": "pillow", "yaml": "PyYAML", "bs4": "beautifulsoup4",
    "skimage": "scikit-image", "Crypto": "pycryptodome", "dateutil": "python-dateutil", "dotenv": "python-dotenv",
    "git": "GitPython", "serial": "pyserial", "OpenSSL": "pyOpenSSL", "attr": "attrs", "jwt": "PyJWT", "magic": "python-magic",
    "MySQLdb": "mysqlclient", "psycopg2": "psycopg2-binary", "pkg_resources": "setuptools", "faiss": "faiss-cpu",
    "umap": "umap-learn", "docx": "python-docx", "pptx": "python-pptx", "fitz": "PyMuPDF", "zmq": "pyzmq", "wx": "wxPython",
    "gi": "PyGObject", "usb": "pyusb", "Levenshtein": "python-Levenshtein", "slugify": "python-slugify", "lightning_fabric":
    "lightning", "pytorch_lightning": "pytorch-lightning", "flash_attn": "flash-attn", "google.protobuf": "protobuf",
    "tensorboardX": "tensorboardX", "tb": "tensorboard", "pythonjsonlogger": "python-json-logger", "jose": "python-jose",
    "mpl_toolkits": "matplotlib", "win32api": "pywin32", "snappy": "python-snappy", "lmdb": "lmdb", "ruamel": "ruamel.yaml",
    "sentence_transformers": "sentence-transformers", "imblearn": "imbalanced-learn", "mlflow": "mlflow", "hydra": "hydra-core",
    "nvidia.dali": "nvidia-dali-cuda120", "pynvml": "nvidia-ml-py", "grpc": "grpcio", "Xlib": "python-xlib", "cairo": "pycairo",
    "open_clip": "open-clip-torch", "clip": "openai-clip", "segment_anything": "segment-anything", "fairseq": "fairseq",
    "timm": "timm", "decord": "decord", "av": "av", "tree": "dm-tree", "haiku": "dm-haiku", "cupy": "cupy-cuda12x",
}


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def read_text(path, limit=FILE_LIMIT):
    with open(path, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ValueError("larger than %d bytes" % limit)
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


# ---- what is installed ------------------------------------------------------------------------------------------------


def job_search_path(request):
    """The folders the job's interpreter searches: ours, its PYTHONPATH and, where it would be used, its user site."""
    folders = [entry for entry in request.get("python_path") or [] if entry]
    try:
        import site
        in_venv = sys.prefix != sys.base_prefix
        sees_system = True
        if in_venv:
            text = read_text(os.path.join(sys.prefix, "pyvenv.cfg")).lower()
            sees_system = re.search(r"include-system-site-packages\s*=\s*true", text) is not None
        user = site.getusersitepackages()
        if sees_system and not request.get("no_user_site") and os.path.isdir(user):
            folders.append(user)
    except Exception:
        pass
    return folders + [entry for entry in sys.path if entry not in folders]


def metadata_head(path):
    """Name, Version and Requires-Dist of a METADATA or PKG-INFO file; the description after the blank line is not read."""
    fields = {"requires": [], "extras": []}
    with open(path, "rb") as file:
        for number, raw in enumerate(file):
            if number > 5000 or raw in (b"\n", b"\r\n"):
                break
            key, _, value = raw.decode("utf-8", "replace").partition(":")
            value = value.strip()
            if key == "Name":
                fields["name"] = value
            elif key == "Version":
                fields["version"] = value
            elif key == "Requires-Dist":
                fields["requires"].append(value)
            elif key == "Requires-Python":
                fields["requires_python"] = value
    return fields


def installed(folders):
    """canonical name -> what is installed under it; the first on the path counts, as for an import."""
    found = {}
    for folder in folders:
        try:
            names = os.listdir(folder)
        except OSError:
            continue
        for name in sorted(names):
            if name.endswith(".dist-info"):
                inside = "METADATA"
            elif name.endswith(".egg-info"):
                inside = "PKG-INFO"
            else:
                continue
            path = os.path.join(folder, name)
            try:
                fields = metadata_head(os.path.join(path, inside) if os.path.isdir(path) else path)
            except OSError:
                continue
            stem = name.rsplit(".", 1)[0].split("-")
            fields.setdefault("name", stem[0])
            fields.setdefault("version", stem[1] if len(stem) > 1 else None)
            fields["folder"] = folder
            try:
                direct = json.loads(read_text(os.path.join(path, "direct_url.json"), 1 << 16))
                fields["url"] = direct.get("url")
                fields["editable"] = bool((direct.get("dir_info") or {}).get("editable"))
                fields["commit"] = (direct.get("vcs_info") or {}).get("commit_id")
            except Exception:
                pass
            found.setdefault(canonical(fields["name"]), fields)
    return found


# ---- what the project asks for ----------------------------------------------------------------------------------------


def borrowed_folders():
    """Where a pip lies that this environment does not have itself (uv makes such ones): only its copy of packaging is used."""
    import sysconfig
    base = sysconfig.get_path("purelib", vars={"base": sys.base_prefix, "platbase": sys.base_prefix})
    yield base
    bundled = [os.path.join(sysconfig.get_path("stdlib"), "ensurepip", "_bundled"), "/usr/share/python-wheels"]
    for folder in bundled:
        try:
            names = sorted(os.listdir(folder), reverse=True)
        except OSError:
            continue
        for name in names:
            if name.startswith(("pip-", "packaging-")) and name.endswith(".whl"):
                yield os.path.join(folder, name)


def packaging_modules():
    def attempt():
        for prefix in ("packaging", "pip._vendor.packaging", "setuptools._vendor.packaging", "pkg_resources.extern.packaging"):
            try:
                module = __import__(prefix + ".requirements", fromlist=["Requirement"])
                specifiers = __import__(prefix + ".specifiers", fromlist=["SpecifierSet"])
                return module, specifiers
            except Exception:
                continue
        return None
    found = attempt()
    for folder in [] if found else borrowed_folders():
        sys.path.append(folder)
        found = attempt()
        sys.path.remove(folder)
        if found:
            break
    return found or (None, None)


def toml(text):
    for name in ("tomllib", "tomli", "pip._vendor.tomli", "setuptools._vendor.tomli"):
        try:
            module = __import__(name, fromlist=["loads"])
        except ImportError:
            continue
        return module.loads(text)
    raise ImportError("no TOML reader")


class Wanted:
    """The requirements of the project's files, and what could not be understood."""

    def __init__(self):
        self.lines = []        # (text, source, is_constraint)
        self.editable = []     # (path or url, source)
        self.unknown = []      # (text, source, why)
        self.files = []
        self.python = []       # (specifier, source)
        self.seen = set()

    def requirements_file(self, path, is_constraint=False, depth=0):
        path = os.path.normpath(path)
        if (path, is_constraint) in self.seen:
            return
        self.seen.add((path, is_constraint))
        if depth > 20:
            return self.unknown.append((path, path, "included too deeply"))
        try:
            text = read_text(path)
        except Exception as error:
            return self.unknown.append((path, path, str(error)))
        self.files.append(path)
        text = re.sub(r"\\\r?\n", " ", text)
        for raw in text.splitlines():
            line = re.sub(r"(^|\s)#.*$", "", raw).strip()
            line = re.sub(r"\$\{([A-Z0-9_]+)\}", lambda match: os.environ.get(match.group(1), match.group(0)), line)
            if line:
                self.requirements_line(line, path, is_constraint, depth)

    def requirements_line(self, line, source, is_constraint, depth):
        option = re.match(r"(--requirement|--constraint|--editable|-r|-c|-e)[ =]*(.*)$", line)
        if option:
            value = option.group(2).strip().strip("\"'")
            if option.group(1) in ("-e", "--editable"):
                self.editable.append((value, source))
            elif "://" in value:
                self.unknown.append((line, source, "a file on the network"))
            else:
                target = os.path.join(os.path.dirname(source), value)
                self.requirements_file(target, is_constraint or option.group(1) in ("-c", "--constraint"), depth + 1)
        elif not line.startswith("-"):
            self.lines.append((re.sub(r"\s+--(hash|global-option|config-settings?)\b.*$", "", line), source, is_constraint))

    def pyproject(self, path):
        try:
            data = toml(read_text(path))
        except Exception as error:
            return self.unknown.append((path, path, str(error)))
        self.files.append(path)
        project = data.get("project")
        if isinstance(project, dict):
            if isinstance(project.get("requires-python"), str):
                self.python.append((project["requires-python"], path))
            for line in project.get("dependencies") or []:
                self.lines.append((str(line), path, False))
            if "dependencies" in (project.get("dynamic") or []):
                self.unknown.append(("dependencies", path, "dynamic"))
            return
        poetry = ((data.get("tool") or {}).get("poetry") or {}).get("dependencies")
        if isinstance(poetry, dict):
            for name, value in poetry.items():
                self.poetry_dependency(name, value, path)

    def poetry_dependency(self, name, value, path):
        if isinstance(value, dict):
            if value.get("optional"):
                return
            if "version" not in value or any(key in value for key in ("git", "path", "url", "markers", "python", "platform")):
                return self.unknown.append((name, path, "not a plain version"))
            value = value["version"]
        specifier = poetry_specifier(str(value))
        if specifier is None:
            self.unknown.append(("%s %s" % (name, value), path, "a constraint of Poetry"))
        elif name == "python":
            self.python.append((specifier, path))
        else:
            self.lines.append((name + specifier, path, False))


def poetry_specifier(text):
    """^1.2 and ~1.2 as PEP 440; None for what is not simple."""
    parts = []
    for piece in text.split(","):
        piece = piece.strip()
        if piece in ("*", ""):
            continue
        match = re.match(r"([\^~])\s*(\d+(?:\.\d+)*)$", piece)
        if match:
            numbers = [int(number) for number in match.group(2).split(".")]
            if match.group(1) == "~":
                keep = min(len(numbers), 2)
            else:
                keep = next((i + 1 for i, number in enumerate(numbers) if number), len(numbers))
            upper = numbers[:keep]
            upper[-1] += 1
            parts.append(">=%s,<%s" % (match.group(2), ".".join(map(str, upper))))
        elif re.match(r"(==|>=|<=|!=|~=|<|>)", piece):
            parts.append(piece)
        elif re.match(r"\d+(\.\d+)*(\.\*)?$", piece):
            parts.append("==" + piece)
        else:
            return None
    return ",".join(parts)


class Checker:
    def __init__(self, found, requirement_module, specifier_module):
        self.found = found
        self.requirements = requirement_module
        self.specifiers = specifier_module
        self.unsatisfied = []
        self.unknown = []
        self.visited = set()

    def missing(self, text, source, have):
        self.unsatisfied.append({"requirement": text, "from": source, "installed": have})

    def line(self, text, source, is_constraint=False):
        text = text.strip()
        if self.requirements is None:
            return self.line_without_packaging(text, source, is_constraint)
        if re.match(r"(git|hg|svn|bzr|https?)(\+\w+)?:", text):
            return self.url(text, source)
        if re.match(r"(\.|/|file:|[A-Za-z]:\\)", text) or re.search(r"\.(whl|tar\.gz|zip)$", text) and " @ " not in text:
            return self.local(text, source)
        try:
            requirement = self.requirements.Requirement(text)
        except Exception as error:
            return self.unknown.append({"requirement": text, "from": source, "why": str(error).splitlines()[0][:200]})
        self.requirement(requirement, text, source, is_constraint, {"extra": ""})

    def requirement(self, requirement, text, source, is_constraint, environment):
        if requirement.marker is not None and not requirement.marker.evaluate(environment):
            return
        have = self.found.get(canonical(requirement.name))
        if have is None:
            if not is_constraint:
                self.missing(text, source, None)
            return
        version = have.get("version")
        if requirement.url:
            if have.get("url") and have["url"].rstrip("/") in requirement.url:
                return
            return self.unknown.append({"requirement": text, "from": source, "why": "installed, but from where is not known"})
        try:
            if not requirement.specifier.contains(version, prereleases=True):
                return self.missing(text, source, version)
        except Exception:
            return self.unknown.append({"requirement": text, "from": source, "why": "installed version %s" % version})
        for extra in requirement.extras:
            self.extra(requirement.name, have, extra, text, source)

    def extra(self, name, have, extra, text, source):
        key = (canonical(name), extra)
        if key in self.visited:
            return
        self.visited.add(key)
        for line in have.get("requires", []):
            if "extra" not in line:
                continue
            try:
                requirement = self.requirements.Requirement(line)
            except Exception:
                continue
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                continue
            self.requirement(requirement, "%s (%s)" % (requirement.name + str(requirement.specifier), text), source, False, {"extra": extra})

    def line_without_packaging(self, text, source, is_constraint):
        """Plain comparisons of plain versions; everything else is said to be unknown."""
        match = re.match(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*((?:(?:==|>=|<=|<|>|!=)\s*[0-9.]+\s*,?\s*)*)$", text)
        if not match:
            return self.unknown.append({"requirement": text, "from": source, "why": "the packaging library is not installed"})
        have = self.found.get(canonical(match.group(1)))
        if have is None:
            if not is_constraint:
                self.missing(text, source, None)
            return
        plain = re.match(r"(\d+(?:\.\d+)*)(\+.*)?$", have.get("version") or "")
        if not plain:
            return self.unknown.append({"requirement": text, "from": source, "why": "the packaging library is not installed"})

        def numbers(version):
            parts = [int(part) for part in version.split(".") if part]
            while parts and parts[-1] == 0:
                parts.pop()
            return parts
        left = numbers(plain.group(1))
        tests = {"==": lambda r: left == r, ">=": lambda r: left >= r, "<=": lambda r: left <= r, "<": lambda r: left < r,
                 ">": lambda r: left > r, "!=": lambda r: left != r}
        for sign, version in re.findall(r"(==|>=|<=|<|>|!=)\s*([0-9.]+)", match.group(2)):
            if not tests[sign](numbers(version)):
                return self.missing(text, source, have.get("version"))

    def local(self, text, source):
        path = re.sub(r"\[.*\]$", "", re.sub(r"^file://", "", text.split(";")[0].strip()))
        path = os.path.join(os.path.dirname(source), path)
        real = os.path.realpath(path)
        for fields in self.found.values():
            url = fields.get("url") or ""
            if url.startswith("file://") and os.path.realpath(url[7:]) == real:
                return
        name = os.path.basename(path)
        if name.endswith(".whl"):
            have = self.found.get(canonical(name.split("-")[0]))
            if have is None:
                return self.missing(text, source, None)
            if have.get("version") == name.split("-")[1]:
                return
        self.unknown.append({"requirement": text, "from": source, "why": "a local package"})

    def url(self, text, source):
        name = re.search(r"[#&]egg=([A-Za-z0-9._-]+)", text)
        bare = re.sub(r"^(git|hg|svn|bzr)\+", "", text.split("#")[0])
        for fields in self.found.values():
            url = fields.get("url")
            if url and bare.startswith(url.rstrip("/")):
                return
        if name and canonical(name.group(1)) not in self.found:
            return self.missing(text, source, None)
        self.unknown.append({"requirement": re.sub(r"//[^/@]*@", "//***@", text), "from": source, "why": "from a URL"})

    def python(self, specifier, source):
        version = ".".join(map(str, sys.version_info[:3]))
        if self.specifiers is None:
            return self.unknown.append({"requirement": "python " + specifier, "from": source, "why": "the packaging library is not installed"})
        try:
            if not self.specifiers.SpecifierSet(specifier).contains(version, prereleases=True):
                self.missing("python " + specifier, source, version)
        except Exception:
            self.unknown.append({"requirement": "python " + specifier, "from": source, "why": "not understood"})


# ---- what the script imports ------------------------------------------------------------------------------------------


def top_level_imports(tree, ast):
    """Names imported whenever the file is run: not in functions, not under try/except ImportError or TYPE_CHECKING."""
    names = {}

    def guarded(node):
        for handler in node.handlers:
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            for kind in kinds:
                if kind is None or getattr(kind, "id", getattr(kind, "attr", "")) in ("ImportError", "ModuleNotFoundError", "Exception", "BaseException"):
                    return True
        return False

    def walk(body):
        for node in body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    names.setdefault(alias.name.split(".")[0], node.lineno)
            elif isinstance(node, ast.ImportFrom):
                if node.level == 0 and node.module:
                    names.setdefault(node.module.split(".")[0], node.lineno)
            elif isinstance(node, ast.Try):
                if not guarded(node):
                    walk(node.body)
                walk(node.finalbody)
            elif isinstance(node, ast.If):
                test = ast.dump(node.test)
                # Either branch may be taken: only an unconditional import is sure; __name__ == "__main__" is.
                if "__main__" in test:
                    walk(node.body)
            elif isinstance(node, (ast.With, ast.For, ast.While)):
                walk(node.body)
    walk(tree.body)
    return names


def missing_imports(script, workdir, folders, deadline):
    import ast
    import importlib.util
    known = set(sys.builtin_module_names) | set(getattr(sys, "stdlib_module_names", ())) | NEWER_STDLIB | {"__main__", "__future__"}
    here = os.path.dirname(script)
    sys.path[:] = [here] + [folder for folder in folders if folder != here]
    missing, queue, seen = [], [script], {script}
    answers = {}
    while queue and time.time() < deadline and len(seen) < 200:
        path = queue.pop(0)
        try:
            tree = ast.parse(read_text(path, 1 << 20))
        except Exception:
            continue
        for name, line in sorted(top_level_imports(tree, ast).items()):
            local = next((candidate for candidate in (os.path.join(here, name + ".py"), os.path.join(here, name, "__init__.py"))
                          if os.path.isfile(candidate)), None)
            if local:
                if local not in seen:
                    seen.add(local)
                    queue.append(local)
                continue
            if name in known:
                continue
            if name not in answers:
                try:
                    answers[name] = importlib.util.find_spec(name) is not None
                except Exception:
                    answers[name] = True  # not sure: say nothing
                if not answers[name]:
                    missing.append({"module": name, "distribution": DISTRIBUTION_OF.get(name, name.replace("_", "-")), "file": path, "line": line})
    return missing


# ---- the answer -------------------------------------------------------------------------------------------------------


def interpreter():
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info.releaselevel != "final":
        version += sys.version_info.releaselevel[:1] + str(sys.version_info.serial)
    try:
        libc = os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError, OSError):
        libc = None
    names = {"cpython": "CPython", "pypy": "PyPy", "graalpy": "GraalPy"}
    return {
        "executable": sys.executable, "version": version, "implementation": names.get(sys.implementation.name, sys.implementation.name),
        "prefix": sys.prefix, "base_prefix": sys.base_prefix, "is_virtual": sys.prefix != sys.base_prefix,
        "is_conda": os.path.isdir(os.path.join(sys.prefix, "conda-meta")), "machine": os.uname().machine, "libc": libc,
        "platform": sys.platform,
    }


def conda_packages():
    """The conda packages of the environment (conda-meta/*.json), which pip does not know."""
    folder, packages = os.path.join(sys.prefix, "conda-meta"), []
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return packages
    for name in names:
        match = re.match(r"(.+)-([^-]+)-([^-]+)\.json$", name)
        if match:
            packages.append({"name": match.group(1), "version": match.group(2), "build": match.group(3)})
    return packages


def check(request, found):
    wanted = Wanted()
    for item in request.get("files", []):
        if os.path.basename(item).endswith(".toml"):
            wanted.pyproject(item)
        else:
            wanted.requirements_file(item)
    for item in request.get("lines", []):
        wanted.requirements_line(item["line"], item["from"], False, 0)
    checker = Checker(found, *packaging_modules())
    if request.get("python"):
        wanted.python.append(("==%s.*" % request["python"] if re.match(r"\d+(\.\d+){0,1}$", request["python"]) else
                              ("==" if request["python"][0].isdigit() else "") + request["python"], "the job file"))
    for specifier, source in wanted.python:
        checker.python(specifier, source)
    for text, source, is_constraint in wanted.lines:
        checker.line(text, source, is_constraint)
    for value, source in wanted.editable:
        if "://" in value:
            checker.url(value, source)
        else:
            checker.local(value, source)
    checker.unknown.extend({"requirement": text, "from": source, "why": why} for text, source, why in wanted.unknown)
    if not (wanted.files or wanted.lines or wanted.python or checker.unknown):
        return None
    return {"files": wanted.files, "unsatisfied": checker.unsatisfied, "unknown": checker.unknown,
            "satisfied": False if checker.unsatisfied else None if checker.unknown else True, "count": len(wanted.lines) + len(wanted.editable)}


def main():
    request = json.loads(sys.stdin.read() or "{}")
    answer = {"interpreter": interpreter()}
    folders = job_search_path(request)
    found = installed(folders)
    answer["packages"] = [
        {key: fields[key] for key in ("name", "version", "url", "editable", "commit") if fields.get(key)} for _, fields in sorted(found.items())]
    conda = conda_packages()
    if conda:
        answer["conda_packages"] = conda
    problems = []
    for key, work in (("requirements", lambda: check(request, found)),
                      ("missing_imports", lambda: missing_imports(request["script"], request.get("workdir", ""), folders, STARTED + 2)
                       if request.get("script") else None)):
        try:
            answer[key] = work()
        except Exception as error:
            problems.append("%s: %s: %s" % (key, type(error).__name__, error))
    if problems:
        answer["problems"] = problems
    sys.stdout.write("\nFOREBAY-PROBE " + json.dumps(answer) + "\n")


main()

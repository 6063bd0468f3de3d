#!/usr/bin/env python3
"""Runs the suites and closes each with "suite: N passed, N failed, N skipped".

    tests/run.py --build build/dev                 every suite
    tests/run.py --build build/tsan unit:supervisor unit:record
    tests/run.py --build build/dev e2e             one suite
    tests/run.py --build build/dev e2e -k kill     tests whose name holds "kill"

Suites: unit (the GoogleTest binaries), integration and e2e (unittest files below tests/<suite>/), report (screenshots).
Test files find the program as FOREBAY_BINARY and the build folder as FOREBAY_BUILD.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def gtest_counts(path):
    """(passed, failed, skipped) of one GoogleTest JSON report."""
    report = json.loads(pathlib.Path(path).read_text())
    passed = failed = skipped = 0
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            if case.get("failures"):
                failed += 1
            elif case.get("result") == "SKIPPED":
                skipped += 1
            elif case.get("status") == "RUN":
                passed += 1
    return passed, failed, skipped


def run_unit(build, rooms, pattern):
    binaries = sorted(p for p in (build / "tests").glob("*_test") if p.is_file() and os.access(p, os.X_OK))
    if rooms:
        binaries = [p for p in binaries if p.name[: -len("_test")] in rooms]
    total = [0, 0, 0]
    for binary in binaries:
        with tempfile.NamedTemporaryFile(suffix=".json") as report:
            command = [str(binary), "--gtest_brief=1", "--gtest_output=json:" + report.name]
            if pattern:
                command.append("--gtest_filter=*%s*" % pattern)
            began = time.monotonic()
            result = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL)
            try:
                counts = gtest_counts(report.name)
            except (ValueError, OSError):
                counts = (0, 1, 0)
            if result.returncode != 0 and counts[1] == 0:
                counts = (counts[0], counts[1] + 1, counts[2])  # a crash or a sanitizer's finding after the last test
        print("  %-14s %d passed, %d failed, %d skipped (%.1f s)" % (binary.name, *counts, time.monotonic() - began), flush=True)
        total = [a + b for a, b in zip(total, counts)]
    return total


class Progress(unittest.TextTestResult):
    def getDescription(self, test):
        return test.id()


def each_test(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each_test(test)
        else:
            yield test


def run_tests(tests, stream):
    result = unittest.TextTestRunner(verbosity=2, resultclass=Progress, stream=stream).run(unittest.TestSuite(tests))
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    return [result.testsRun - failed - len(result.skipped), failed, len(result.skipped)]


def run_shared_out(tests, jobs):
    """Every process takes each jobs-th test; what they print comes one after the other."""
    shares = []
    for number in range(jobs):
        output = tempfile.TemporaryFile("w+", encoding="utf-8")
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                counts = run_tests(tests[number::jobs], output)
                output.write("\n%s\n" % json.dumps(counts))
                output.flush()
                code = 0
            finally:
                os._exit(code)
        shares.append((pid, output, len(tests[number::jobs])))
    total = [0, 0, 0]
    for pid, output, size in shares:
        status = os.waitpid(pid, 0)[1]
        output.seek(0)
        text = output.read()
        counts = [0, size, 0]  # a share that did not come to its end has failed
        if status == 0:
            text, _, last = text.rstrip("\n").rpartition("\n")
            counts = json.loads(last)
        print(text, flush=True)
        total = [a + b for a, b in zip(total, counts)]
    return total


def run_python(folder, pattern, jobs):
    sys.path.insert(0, str(ROOT / "tests"))
    loader = unittest.TestLoader()
    if pattern:
        loader.testNamePatterns = ["*%s*" % pattern]
    suite = unittest.TestSuite()
    for path in sorted([*folder.rglob("test_*.py"), *folder.rglob("*_test.py")]):
        sys.path.insert(0, str(path.parent))
        name = "_".join(path.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
        import importlib.util
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except unittest.SkipTest as skip:
            print("  %s skipped: %s" % (path.relative_to(ROOT), skip))
            continue
        suite.addTests(loader.loadTestsFromModule(module))
    tests = list(each_test(suite))
    sys.stdout.flush()
    return run_tests(tests, sys.stdout) if jobs < 2 or len(tests) < 2 else run_shared_out(tests, jobs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev")
    parser.add_argument("-k", dest="pattern", default="")
    parser.add_argument("suites", nargs="*")
    options = parser.parse_args()
    build = (ROOT / options.build).resolve()
    os.environ["FOREBAY_BUILD"] = str(build)
    os.environ.setdefault("FOREBAY_BINARY", str(build / "src" / "forebay"))
    # The Python with torch and uv that scripts/python-env.sh made, for tests that ask for them.
    os.environ["PATH"] = "%s%s%s" % (ROOT / ".venv" / "bin", os.pathsep, os.environ.get("PATH", ""))
    # Tests must not see the person's runs, nor speak another language than they expect.
    home = tempfile.TemporaryDirectory(prefix="forebay-tests-")
    os.environ["FOREBAY_HOME"] = home.name
    for name in ("LANG", "LC_ALL", "LC_MESSAGES", "FOREBAY_LANG", "NO_COLOR"):
        os.environ.pop(name, None)
    wanted = options.suites or ["unit", "integration", "e2e"]
    rooms = {suite.split(":", 1)[1] for suite in wanted if suite.startswith("unit:")}
    # e2e tests judge times and look for processes that are left: one at a time.
    jobs = {"integration": min(4, os.cpu_count() or 1), "e2e": 1}
    lines = []
    any_failed = False
    for suite in ["unit", "integration", "e2e"]:
        if suite not in wanted and not (suite == "unit" and rooms):
            continue
        print("== %s" % suite, flush=True)
        counts = run_unit(build, rooms, options.pattern) if suite == "unit" else run_python(ROOT / "tests" / suite, options.pattern, jobs[suite])
        lines.append("%s: %d passed, %d failed, %d skipped" % (suite, *counts))
        any_failed = any_failed or counts[1] > 0 or sum(counts) == 0
    home.cleanup()
    print("\n" + "\n".join(lines), flush=True)
    sys.exit(1 if any_failed else 0)


if __name__ == "__main__":
    main()

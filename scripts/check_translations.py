#!/usr/bin/env python3
"""Every text a person reads has a Chinese translation.

Collects the English texts (msgids) from the sources: the literals in tr("…"), tr_later("…"), tr_in(language, "…"), say(language, "…"), Text{"…", …} and
msgid("…") of src/, the texts of the rules in data/rules/, and the meanings of the metrics. Each must be in po/zh_CN.po, once, translated,
and with the same {fields}. Prints what is missing as .po entries, ready to be filled in; exit code 1 if anything is wrong.
"""
import argparse
import pathlib
import re
import sys

# Which arguments are texts. Parts of an error are translated where the error is shown (Error::shown).
CALLS = {"tr": [0], "tr_later": [0], "tr_in": [1], "say": [1], "msgid": [0], "Text": [0],
         "make_error": [1, 3, 4], "system_error": [0], "failed_outcome": [1]}
CALL = re.compile(r"\b(%s)\s*(?=[({])" % "|".join(sorted(CALLS, key=len, reverse=True)))
# What the supervisor says of an end is recorded in English and looked up by its pattern when it is shown.
ENDS = re.compile(r"\b(?:(?:failure\.|stop_)sentence\s*=|set_reason\(|request_stop\(|\bstop\(|LimitReached\{)")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Texts that stand in tables: file, pattern whose group 1 is the string literal's inside.
TABLES = [("src/diagnosis/metric_table.cc", re.compile(r'\{\s*"[a-z0-9_]+",\s*"[^"]*",\s*"((?:[^"\\]|\\.)*)"\s*\}')),
          ("src/cost/phases.cc", re.compile(r'\{\s*"[a-z_]+",\s*"((?:[^"\\]|\\.)*)"'))]
RULE_TEXT = re.compile(r"""^\s*(?:-\s+)?(?:\{\s*)?(?:title|text|reason):\s*(.*)$""")
FIELD = re.compile(r"\{(\d+)\}")


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), text)


def without_comments(source):
    """Comments blanked, so that examples in them are not taken for texts; strings stay."""
    pattern = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
    return pattern.sub(lambda m: m.group(0) if m.group(0).startswith('"') else " ", source)


def arguments(source, start):
    """The arguments of the call whose bracket opens at `start`, as source text."""
    closing = {"(": ")", "{": "}", "[": "]"}
    stack, found, begin, at = [], [], start + 1, start
    while at < len(source):
        char = source[at]
        if char == '"':
            match = STRING.match(source, at)
            at = match.end() if match else at + 1
            continue
        if char in closing:
            stack.append(closing[char])
        elif stack and char == stack[-1]:
            stack.pop()
            if not stack:
                return found + [source[begin:at]]
        elif char == "," and len(stack) == 1:
            found.append(source[begin:at])
            begin = at + 1
        elif char == ";" and len(stack) == 1:
            return []  # not a call: a declaration
        at += 1
    return []


def texts_of_argument(argument):
    """The literals of an argument: neighbours are one text, the branches of a condition are several."""
    texts, end = [], None
    for match in STRING.finditer(argument):
        if end is not None and argument[end:match.start()].strip() == "":
            texts[-1] += unescape(match.group(1))
        else:
            texts.append(unescape(match.group(1)))
        end = match.end()
    return [text for text in texts if text and text != "{0}"]


def texts_of_source(path):
    source = without_comments(path.read_text(encoding="utf-8"))
    for match in CALL.finditer(source):
        if match.group(1) == "say" and path.parent.name != "report":
            continue  # another function of that name
        found = arguments(source, match.end())
        for argument in (found[position] for position in CALLS[match.group(1)] if position < len(found)):
            literal_only = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', argument)
            # std::string("…") and conditions are texts; calls like json["key"] and f("…") are not.
            if re.search(r'[\[(]\s*""', literal_only.replace('std::string("")', '""').replace('std::string_view("")', '""')):
                continue
            for text in texts_of_argument(argument):
                yield text, source.count("\n", 0, match.start()) + 1


def numbered(text):
    """"{} of {}" as "{0} of {1}"."""
    parts = text.split("{}")
    return parts[0] + "".join("{%d}%s" % (number, part) for number, part in enumerate(parts[1:]))


def ends_without_words(root):
    """Sentences about an end that src/record/outcome_words.cc does not know."""
    words = root / "src/record/outcome_words.cc"
    if not words.exists():
        return
    known = {text for text, _ in texts_of_source(words)}
    for path in sorted(root.glob("src/supervisor/*.cc")):
        source = without_comments(path.read_text(encoding="utf-8"))
        for match in ENDS.finditer(source):
            statement = source[match.end():source.index(";", match.end())]
            for text in texts_of_argument(statement):
                if " " in text and numbered(text) not in known:
                    yield f"{path.relative_to(root)}:{source.count(chr(10), 0, match.start()) + 1}: src/record/outcome_words.cc lacks \"{numbered(text)}\""


# What help pages show: the argument with the help of an option, and group, summary and description of a verb.
HELP = {"option": 3, "option_words": 3, "option_list": 3, "flag": 2, "positional": 2, "positional_list": 2, "command": 1}
HELP_CALL = re.compile(r"\bline\.(%s)\(" % "|".join(HELP))
VERB = re.compile(r"\bVerbInfo \w+_verb_info\(\) \{\s*return \{")


def texts_of_help(path):
    source = without_comments(path.read_text(encoding="utf-8"))
    for match in HELP_CALL.finditer(source):
        found = arguments(source, match.end() - 1)
        if len(found) > HELP[match.group(1)]:
            for text in texts_of_argument(found[HELP[match.group(1)]]):
                yield text, source.count("\n", 0, match.start()) + 1
    for match in VERB.finditer(source):
        for argument in arguments(source, match.end() - 1)[1:4]:
            for text in texts_of_argument(argument):
                yield text, source.count("\n", 0, match.start()) + 1


def texts_of_rules(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = RULE_TEXT.match(line)
        if not match or not match.group(1) or line.lstrip().startswith("#"):
            continue
        value = match.group(1)
        if value[0] in ">|":
            yield None, number
        elif value[0] == '"':
            quoted = STRING.match(value)
            yield (unescape(quoted.group(1)) if quoted else None), number
        elif value[0] == "'":
            yield value[1:value.rindex("'")].replace("''", "'"), number
        else:
            yield re.split(r"\s+#", value)[0].strip(), number


def collect(root):
    """{text: "file:line" of its first use}, and a list of complaints."""
    texts, complaints = {}, []

    def add(text, path, line):
        place = f"{path.relative_to(root)}:{line}"
        if text is None:
            complaints.append(f"{place}: write the text on one line, in double quotes")
        else:
            texts.setdefault(text, place)

    for path in sorted([*root.glob("src/**/*.cc"), *root.glob("src/**/*.h")]):
        for text, line in texts_of_source(path):
            add(text, path, line)
    for path in sorted(root.glob("src/cli/**/*.cc")):
        for text, line in texts_of_help(path):
            add(text, path, line)
    for name, pattern in TABLES:
        path = root / name
        if path.exists():
            source = path.read_text(encoding="utf-8")
            for match in pattern.finditer(source):
                add(unescape(match.group(1)), path, source.count("\n", 0, match.start()) + 1)
    for path in sorted(root.glob("data/rules/*.yaml")):
        for text, line in texts_of_rules(path):
            if text != "{0}":
                add(text, path, line)
    return texts, complaints


def read_catalogue(path):
    """[(msgid, msgstr, line)] of a .po file without plural forms."""
    entries, field = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if line.startswith("msgid "):
            entries.append(["", "", number])
            field = 0
        elif line.startswith("msgstr "):
            field = 1
        match = STRING.search(line)
        if line.startswith("#") or not line or not match or field is None or not entries:
            continue
        entries[-1][field] += unescape(match.group(1))
    return [tuple(entry) for entry in entries]


def check(root, catalogue):
    texts, complaints = collect(root)
    complaints += ends_without_words(root)
    known = {}
    for msgid, msgstr, line in read_catalogue(catalogue):
        place = f"{catalogue.name}:{line}"
        if msgid == "":
            continue
        if msgid in known:
            complaints.append(f"{place}: a second entry for \"{msgid}\"")
        known[msgid] = msgstr
        if not msgstr:
            complaints.append(f"{place}: no translation of \"{msgid}\"")
        elif set(FIELD.findall(msgid)) != set(FIELD.findall(msgstr)):
            complaints.append(f"{place}: fields differ in \"{msgid}\" and \"{msgstr}\"")
    missing = {text: place for text, place in texts.items() if text not in known}
    return texts, known, missing, complaints


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=root)
    parser.add_argument("--only", default="", help="only texts first used in a path that begins with this")
    parser.add_argument("--unused", action="store_true", help="also list translations that no source uses")
    options = parser.parse_args()
    texts, known, missing, complaints = check(options.root, options.root / "po" / "zh_CN.po")
    missing = {text: place for text, place in missing.items() if place.startswith(options.only)}
    for text, place in sorted(missing.items(), key=lambda item: item[1]):
        print(f"#: {place}\nmsgid {quoted(text)}\nmsgstr \"\"\n")
    for complaint in complaints:
        print(complaint)
    if options.unused:
        for msgid in known:
            if msgid not in texts:
                print(f"unused: {quoted(msgid)}")
    print(f"{len(texts)} texts, {len(known)} translations, {len(missing)} missing, {len(complaints)} other problems", file=sys.stderr)
    return 1 if missing or complaints else 0


if __name__ == "__main__":
    sys.exit(main())

"""Puts a timer into a Python function without putting a frame around it.

A wrapper would be seen: in tracebacks, in the line a warning is blamed on, in `inspect.stack()`, by `f is g`, and by
torch.compile, which knows some functions by identity. So the function stays the same object and only its code is
exchanged for one compiled from the same source with the timer in it: same file, same name, same line of every
statement. Before that the untouched source is compiled too, and unless that gives the very byte code the function
has, nothing is changed and NotCovered is raised.

    def f(x):                       def f(x):
        return g(x)                     if SKIP:
                                            return g(x)
                                        else:
                                            _fb_start = BEGIN
                                            _fb_result = _forebay_no_result
                                            try:
                                                _fb_result = g(x)
                                                return _fb_result
                                            finally:
                                                END
"""
import __future__

import ast
import copy
import dis
import types

_sources = {}  # file name -> lines, while functions are being instrumented
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag


class NotCovered(Exception):
    """This function's source and code do not belong together, or it is not a Python function."""


class NoResult(object):
    """Stands for the result of a call that ended by an exception."""


NO_RESULT = NoResult()


def _all_code(code):
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            for inner in _all_code(constant):
                yield inner


def _last_line(code):
    return max([line for each in _all_code(code) for _, line in dis.findlinestarts(each) if line] or [0])


def _lines(name):
    if name not in _sources:
        with open(name, "rb") as source:
            _sources[name] = source.read().decode("utf-8").splitlines(True)
    return _sources[name]


def forget_sources():
    _sources.clear()


def _parse(code):
    """The tree of the one function `code` was compiled from, with the file's own line numbers."""
    lines = _lines(code.co_filename)
    first = code.co_firstlineno
    block = lines[first - 1:_last_line(code)]
    if not block:
        raise NotCovered("no source")
    is_indented = block[0][:1] in " \t"
    for following in range(_last_line(code), min(len(lines), _last_line(code) + 40) + 1):
        text = ("if 1:\n" if is_indented else "") + "".join(block)
        try:
            tree = ast.parse(text)
            break
        except SyntaxError:
            block.append(lines[following] if following < len(lines) else "")
    else:
        raise NotCovered("source does not parse")
    ast.increment_lineno(tree, first - (2 if is_indented else 1))
    return tree


def _compile(tree, original):
    module = compile(tree, original.co_filename, "exec", original.co_flags & _FUTURE, True)
    for code in _all_code(module):
        if code.co_name == original.co_name and code.co_firstlineno == original.co_firstlineno:
            return code
    raise NotCovered("function not found in its source")


def _imported_names(function):
    """Guesses of which global names the module got by `import`: the compiler calls a method of those differently."""
    names = sorted({name for code in _all_code(function.__code__) for name in code.co_names})
    found = function.__globals__
    here = found.get("__name__")
    yield []
    yield [name for name in names if isinstance(found.get(name), types.ModuleType)]
    yield [name for name in names if name in found and getattr(found[name], "__module__", None) != here]


def _faithful(function):
    """A tree that compiles to the byte code `function` has."""
    code = function.__code__
    tree = _parse(code)
    definition = tree.body
    for names in _imported_names(function):
        imports = [ast.Import(names=[ast.alias(name=name, asname=None)]) for name in names]
        tree.body = [_at(each, definition[0]) for each in imports] + definition
        if _is_same(_compile(tree, code), code):
            return tree
    raise NotCovered("source and code differ")


def _plain_constants(code):
    """Without inner functions, and (before Python 3.11) without the class in front of their names."""
    return [constant.rpartition(".<locals>.")[2] if isinstance(constant, str) else constant
            for constant in code.co_consts if not hasattr(constant, "co_code")]


def _is_same(one, other):
    ones, others = list(_all_code(one)), list(_all_code(other))
    same = ("co_code", "co_names", "co_varnames", "co_freevars", "co_cellvars")
    return len(ones) == len(others) and all(
        all(getattr(a, name) == getattr(b, name) for name in same) and _plain_constants(a) == _plain_constants(b)
        for a, b in zip(ones, others))


class _KeepResult(ast.NodeTransformer):
    """`return E` becomes `_fb_result = E; return _fb_result`, in this function but not in those inside it."""

    def visit_Return(self, node):
        value = node.value or ast.copy_location(ast.Constant(value=None), node)
        keep = ast.Assign(targets=[ast.Name(id="_fb_result", ctx=ast.Store())], value=value)
        give = ast.Return(value=ast.Name(id="_fb_result", ctx=ast.Load()))
        return [_at(keep, node), _at(give, node)]

    def visit_FunctionDef(self, node):
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef


def _at(new, old):
    """Gives `new` and every part of it that has no place yet the place of `old`."""
    ast.copy_location(new, old)
    for child in ast.walk(new):
        if hasattr(child, "_attributes") and "lineno" in child._attributes and not hasattr(child, "lineno"):
            ast.copy_location(child, old)
    return new


def _statements(text, place):
    return [_at(statement, place) for statement in ast.parse(text).body] if text else []


def _place(statements, place):
    for statement in statements:
        for child in ast.walk(statement):
            if "lineno" in getattr(child, "_attributes", ()):
                ast.copy_location(child, place)
    return statements


def _time(function, skip, begin, end):
    body = function.body
    documentation = []
    if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) and len(body) > 1:
        documentation, body = body[:1], body[1:]
    place = body[0]
    untouched = copy.deepcopy(body) if skip else None
    timed = [piece for statement in body for piece in _as_list(_KeepResult().visit(statement))]
    timed += _place(_statements("_fb_result = None", place), place)
    finish = _place(_statements(end, place), place)
    guarded = _at(ast.Try(body=timed, handlers=[], orelse=[], finalbody=finish), place)
    start = _place(_statements("_fb_start = %s\n_fb_result = _forebay_no_result" % begin, place), place)
    if not skip:
        function.body = documentation + start + [guarded]
        return
    test = _place(_statements(skip, place), place)[0].value
    choice = _at(ast.If(test=test, body=untouched, orelse=start + [guarded]), place)
    function.body = documentation + [choice]


def _as_list(pieces):
    return pieces if isinstance(pieces, list) else [pieces]


def _find(tree, name, first_line):
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            decorated = [each.lineno for each in node.decorator_list]
            if first_line in [node.lineno] + decorated:
                return node
    raise NotCovered("function not found in its source")


def instrument(function, skip, begin, end, names, inner=None):
    """Exchanges the code of `function` (or makes the code of the function `inner` it defines be exchanged).

    `skip`, `begin`: expressions; `end`: statements; all see the function's own variables, `_fb_start`, `_fb_result`
    and `names`, which are entered into the function's globals. Returns a call that undoes it; raises NotCovered.
    """
    code = getattr(function, "__code__", None)
    if code is None:
        raise NotCovered("not a Python function")
    try:
        tree = _faithful(function)
        target = _find(tree, code.co_name, code.co_firstlineno)
        if inner is not None:
            target = [node for node in target.body if isinstance(node, ast.FunctionDef) and node.name == inner][0]
        _time(target, skip, begin, end)
        timed = _compile(tree, code)
    except (OSError, SyntaxError, ValueError, IndexError) as error:
        raise NotCovered(str(error))
    if timed.co_freevars != code.co_freevars:
        raise NotCovered("free variables differ")
    if hasattr(code, "co_qualname"):
        timed = timed.replace(co_qualname=code.co_qualname)
    function.__globals__.update(names)
    function.__globals__["_forebay_no_result"] = NO_RESULT
    function.__code__ = timed

    def undo():
        function.__code__ = code

    return undo

"""Functions of many shapes for the timer to be put into; their line numbers and errors are compared before and after."""
from __future__ import annotations

import functools
import json
import os.path as paths


def simple(x):
    return 1 // x


class Holder:
    def method(self, x=0,
               y=2):
        """Documentation
that is not indented."""
        # a comment
        with open("/dev/null"):
            for i in range(3):
                if i == self:
                    return [json.dumps(z) for z in (i, self)][1 // self]
        raise KeyError(
            "several "
            "lines %s" % self
        )


def imported(x):
    try:
        return functools.partial(json.loads, "3")() // x
    finally:
        paths.join("a", "b")


def no_return(x):
    "only documentation"
    1 / x


def decorator(function):
    @functools.wraps(function)
    def call(*arguments):
        return function(*arguments)

    return call


@decorator
@decorator
def decorated(x):
    return (lambda y: y // x)(3)


def closing_over(x):
    held = x

    def inner():
        return held

    return inner() // x

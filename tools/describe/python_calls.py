#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints client/python/tegu/_calls.pyi: the signatures of the operations in the three forms that _calls.py
makes of them. They are read from the sources of client/python/tegu/_operations; needs Python 3.9."""

import ast
import os
import sys

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "client", "python", "tegu")

HEADER = '''# SPDX-License-Identifier: Apache-2.0
"""The methods that _calls.py makes, as tools/describe/python_calls.py prints them."""

from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

from . import _job
from ._future import Future
'''
CLASSES = (
    (
        "Submitted(_job.Submitting)",
        "def %s(%s) -> Future[%s]: ...",
        ["def __call__(self, operation: str, *arguments: Any, **options: Any) -> Future[Any]: ..."],
    ),
    (
        "Calls",
        "def %s(%s) -> %s: ...",
        ["run_job: Callable[[_job.Job], Any]", "@property", "def preparing(self) -> _job.Preparing: ..."],
    ),
    ("Awaited", "async def %s(%s) -> %s: ...", ["submit_and_wait: Callable[..., Any]"]),
)


def parsed(*path):
    with open(os.path.join(PACKAGE, *path), encoding="utf-8") as file:
        return ast.parse(file.read())


def constant(module, name):
    """The value of a constant of a module."""
    for node in module.body:
        target = getattr(node, "target", None) or (getattr(node, "targets", None) or [None])[0]
        if isinstance(target, ast.Name) and target.id == name:
            return ast.literal_eval(node.value)
    raise LookupError(name)


class Qualify(ast.NodeTransformer):
    """Names that a module of an operation gives to types, as seen from outside."""

    def __init__(self, module, name):
        self._prefix = "_" + name
        self._names = {
            node.targets[0].id
            for node in module.body
            if isinstance(node, ast.Assign) and not node.targets[0].id.startswith("_")
        }
        self.used = False

    def visit_Name(self, node):
        if node.id not in self._names:
            return node
        self.used = True
        return ast.Attribute(ast.Name(self._prefix, ast.Load()), node.id, ast.Load())


def signature(name, parts, options):
    """(arguments, result, whether the module's own types are named) of an operation."""
    module = parsed("_operations", name + ".py")
    function = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == name][0]
    qualify = Qualify(module, name)
    result = qualify.visit(ast.parse(function.returns.value, mode="eval").body)
    arguments = function.args
    arguments.args[0].annotation = None
    for argument in arguments.args[1:]:
        argument.annotation = qualify.visit(argument.annotation)
    rest = [(part, "Optional[Dict[str, Any]]") for part in (parts if name == "fused" else ())]
    for word, annotation in rest + list(options.items()):
        arguments.kwonlyargs.append(ast.arg(word, ast.parse(annotation, mode="eval").body))
        arguments.kw_defaults.append(ast.Constant(...))
    arguments.kwarg = None
    return ast.unparse(arguments), ast.unparse(result.slice), qualify.used


def main():
    described = parsed("_described.py")
    options, parts = constant(parsed("_job.py"), "OPTIONS"), constant(described, "PARTS")
    signatures = {name: signature(name, parts, options) for name in constant(described, "OPERATIONS")}
    lines = [HEADER.rstrip()]
    lines += [
        "from ._operations import %s as _%s" % (name, name)
        for name, (_, _, used) in sorted(signatures.items())
        if used
    ]
    for head, form, others in CLASSES:
        lines += ["", "class %s:" % head]
        lines += ["    " + line for line in others]
        lines += [
            "    " + form % (name, arguments, result) for name, (arguments, result, _) in signatures.items()
        ]
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())

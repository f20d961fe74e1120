# SPDX-License-Identifier: Apache-2.0
"""The functions of _operations as methods, in three forms. A type checker sees them in _calls.pyi, which the
target `describe` writes."""

import functools
from typing import Any, Callable, Dict, Tuple

from . import _errors, _job, _operations
from ._buffer import Buffer

_PLAIN = {str, int, bool, float, type(None)}
_MAX_PREPARED = 64  # jobs of one buffer


def _are_plain(arguments: Tuple[Any, ...], options: Dict[str, Any]) -> bool:
    """Whether repr() tells all about the values."""
    for value in arguments + tuple(options.values()):
        if type(value) not in _PLAIN and not (
            type(value) is tuple and all(type(each) in _PLAIN for each in value)
        ):
            return False
    return True


class Submitted(_job.Submitting):
    """The jobs of a client, each returning a Future."""

    def __call__(self, operation: str, *arguments: Any, **options: Any) -> Any:
        if operation not in _operations.MODULES:
            raise _errors.make(
                "UNSUPPORTED",
                "the operation %r is not known" % (operation,),
                "operation",
                " ".join(_operations.MODULES),
            )
        return getattr(self, operation)(*arguments, **options)


class Calls(object):
    """The jobs of a client, each returning its result. Jobs on a Buffer are prepared once: what a call costs
    here is then a lookup."""

    run_job: Callable[[_job.Job], Any]
    preparing = property(_job.Preparing)


class Awaited(object):
    """The jobs of a client of asyncio: coroutines."""

    submit_and_wait: Callable[..., Any]


def _synchronous(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def method(self: Calls, *arguments: Any, **options: Any) -> Any:
        first = arguments[0] if arguments else None
        if type(first) is not Buffer or first.client is not self or not _are_plain(arguments[1:], options):
            return self.run_job(call(self.preparing, *arguments, **options))
        key = (name, repr(arguments[1:]), repr(options))
        job = first.prepared.get(key)
        if job is None:
            if len(first.prepared) >= _MAX_PREPARED:
                first.prepared.clear()
            job = first.prepared[key] = call(self.preparing, *arguments, **options)
        return self.run_job(job)

    return method


def _awaited(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def method(self: Awaited, *arguments: Any, **options: Any) -> Any:
        return self.submit_and_wait(call, arguments, options)

    return method


for _name, _module in _operations.MODULES.items():
    _call = getattr(_module, _name)
    setattr(Submitted, _name, _call)
    setattr(Calls, _name, _synchronous(_name, _call))
    setattr(Awaited, _name, _awaited(_call))

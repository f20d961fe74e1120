# SPDX-License-Identifier: Apache-2.0
"""The functions of _operations as methods, in three forms. A type checker sees them in _calls.pyi, which the
target `describe` writes."""

import functools
from typing import Any, Callable

from . import _errors, _job, _operations, _prepared
from ._buffer import Buffer


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
    """The jobs of a client, each returning its result."""

    run_job: Callable[..., Any]
    preparing = property(_job.Preparing)


class Awaited(object):
    """The jobs of a client of asyncio: coroutines."""

    submit_and_wait: Callable[..., Any]


def _synchronous(name: str, call: Callable[..., Any], inputs: int) -> Callable[..., Any]:
    key_of, keep, ndarray = _prepared.key_of, _prepared.keep, _prepared.ndarray

    @functools.wraps(call)
    def method(self: Calls, *arguments: Any, **options: Any) -> Any:
        first = arguments[0] if arguments else None
        kind = type(first)
        if kind is Buffer and first.client is self:
            key = key_of(name, arguments[1:], options)
            job = first.prepared.get(key)
            if job is None:
                job = call(self.preparing, *arguments, **options)
                if key is not None:
                    keep(first.prepared, key, job)
            return self.run_job(job)
        if kind is ndarray and _prepared.are_dense(arguments[:inputs]):
            return _prepared.run_on_arrays(
                self,
                name,
                arguments[:inputs],
                arguments[inputs:],
                options,
                lambda: call(self.preparing, *arguments, **options),
            )
        return self.run_job(call(self.preparing, *arguments, **options))

    return method


def _awaited(call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def method(self: Awaited, *arguments: Any, **options: Any) -> Any:
        return self.submit_and_wait(call, arguments, options)

    return method


for _name, _module in _operations.MODULES.items():
    _call = getattr(_module, _name)
    setattr(Submitted, _name, _call)
    setattr(Calls, _name, _synchronous(_name, _call, len(_module.Parameters.labels)))
    setattr(Awaited, _name, _awaited(_call))

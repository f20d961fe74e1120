# SPDX-License-Identifier: Apache-2.0
"""tegu on dask arrays. Each task asks the tegud of the machine that it runs on, and small partials travel.

    import tegu.dask
    tegu.dask.reduce(x, ("sum", "std")).compute()      # x: a dask.array

All is lazy. reduce, topk, quantile, histogram, entropy and dot give a Delayed of what tegu.Client gives, with
the bits of one daemon on the whole array. entropy_map, rowscale and add give dask arrays. docs/fleet.md says
what it costs."""

import copy
import itertools
import math
import re
import uuid
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import dask.array
import numpy
from dask.base import is_dask_collection
from dask.delayed import delayed

from . import _errors, _types
from ._client import Client
from ._operations import entropy_map as entropy_map_job
from ._partials import Partial, merge
from ._partials.by_numpy import NumpyPartials
from ._partials.by_numpy.entropy import one_level
from ._partials.quantile import Quantile
from ._worker import ask, client_of, held

__all__ = ["add", "dot", "entropy", "entropy_map", "histogram", "quantile", "reduce", "rowscale", "topk"]

FAN_IN = 16  # partials that one task merges
_blocks: Any = dask.array  # without annotations
Range = Optional[Tuple[float, float]]
Window = Union[int, Tuple[int, int]]


# Results of the whole array


def reduce(
    x: Any,
    stats: Union[str, Iterable[str]] = ("sum",),
    ddof: int = 0,
    skip_nans: bool = False,
    **options: Any,
) -> Any:
    """A Delayed of the dict of Client.reduce(). `options`, here and below: `socket`, where tegud listens on
    every worker; fallback="numpy", for workers without tegud: the same bits, slower; and those of a job
    (priority, deadline, backend)."""
    stats = stats if isinstance(stats, str) else tuple(stats)
    return _whole("reduce", _pieces(x), options, stats=stats, ddof=ddof, skip_nans=skip_nans)


def topk(x: Any, k: int, largest: bool = True, distinct: bool = False, **options: Any) -> Any:
    """A Delayed of (values, indices): the indices are those of x.ravel()."""
    return _whole("topk", _pieces(x), options, k=k, largest=largest, distinct=distinct)


def dot(x: Any, y: Any, skip_nans: bool = False, **options: Any) -> Any:
    """A Delayed of the sum of the products. The chunks of y become those of x."""
    y = _paired(x, y)
    return _whole("dot", _pieces(x, y.rechunk(x.chunks)), options, skip_nans=skip_nans)


def histogram(x: Any, bins: int = 10, range: Range = None, **options: Any) -> Any:
    """A Delayed of (counts, edges). Without a range the array is read twice."""
    pieces = _pieces(x)
    if range is None:
        range = delayed(_outwards)(_whole("reduce", pieces, options, stats="minmax")["minmax"])
    return _whole("histogram", pieces, options, bins=bins, range=range)


def entropy(
    x: Any,
    levels: int = 256,
    range: Range = None,
    base: Union[int, str] = 2,
    skip_nans: bool = False,
    **options: Any,
) -> Any:
    """A Delayed of the Shannon entropy. Floats without a range are read twice."""
    pieces = _pieces(x)
    if range is None and x.dtype.kind == "f":
        range = _finite_range(pieces, options)
    return _whole("entropy", pieces, options, levels=levels, range=range, base=base, skip_nans=skip_nans)


def quantile(x: Any, q: Any, method: str = "linear", skip_nans: bool = False, **options: Any) -> Any:
    """A Delayed of the exact quantiles, as Client.quantile(). The array is read once for each two bytes of an
    element; its chunks stay in shared memory meanwhile, as far as 256 MiB a thread allow."""
    pieces = _pieces(x)
    _check_options(options, (None, "numpy"))
    found: Any = Quantile(
        numpy.ravel(q) if numpy.ndim(q) else float(q), x.dtype, pieces.total, method, skip_nans
    )
    run = delayed(uuid.uuid4, pure=False)()  # anew in each compute
    for last in [False] * (found.rounds - 1) + [True]:
        counts = [
            delayed(_count)(run, i, pieces.place(i), piece[0], found, last, options)
            for i, piece in enumerate(pieces.blocks)
        ]
        found = delayed(_advance)(found, _merged(counts))
    return delayed(_quantiles)(found, numpy.shape(q))


# Arrays


def entropy_map(
    image: Any,
    window: Window = 5,
    levels: int = 16,
    range: Range = None,
    base: Union[int, str] = 2,
    border: str = "clip",
    **options: Any,
) -> Any:
    """A dask array of the entropies, in the chunks of the image: neighbours lend half a window. Floats
    without a range are read twice."""
    _check(image, "image")
    _check_options(options, (None,))
    if image.ndim != 2:
        raise _errors.make("BAD_RANGE", "the image has %d dimensions" % image.ndim, "image", "2 dimensions")
    checked = entropy_map_job.Parameters(window, levels, range, base, border)
    for name in ("window_rows", "window_cols", "levels"):
        value, allowed = checked.fields[name], checked.allowed(name)
        least, most = map(int, re.findall(r"\d+", allowed))
        if not least <= value <= most or ("odd" in allowed and value % 2 == 0):
            raise _errors.make("BAD_RANGE", "%s is %d" % (name, value), name, allowed)
    rows, cols = checked.fields["window_rows"], checked.fields["window_cols"]
    if range is None and image.dtype.kind == "f":
        range = _finite_range(_pieces(image), options)
    return _blocks.map_overlap(
        _entropy_map,
        image,
        depth={0: rows // 2, 1: cols // 2},
        boundary="none",
        dtype="float32",
        meta=numpy.empty((0, 0), "float32"),
        params=dict(window=(rows, cols), levels=levels, base=base, border=border),
        found=range,
        options=options,
    )


def rowscale(x: Any, skip_nans: bool = False, **options: Any) -> Tuple[Any, Any]:
    """(y, scales), two dask arrays: the rows along the last axis of `x`, each divided by its largest
    magnitude."""
    _check(x, "x")
    _check_options(options, (None,))
    if x.ndim == 0 or x.dtype.kind != "f":
        raise _errors.make("BAD_RANGE", "x is %s %s" % (x.dtype, x.shape), "x", "rows of floats")
    x = x.rechunk({x.ndim - 1: -1})
    both = x.map_blocks(
        _rowscale, skip_nans, options, dtype=x.dtype, chunks=x.chunks[:-1] + ((x.shape[-1] + 1,),)
    )
    return both[..., :-1], both[..., -1]


def add(x: Any, y: Any, **options: Any) -> Any:
    """A dask array x + y, in the chunks of x."""
    y = _paired(x, y)
    _check_options(options, (None,))
    return _blocks.map_blocks(_add, x, y.rechunk(x.chunks), options=options, dtype=x.dtype)


# The graph


class _Pieces(object):
    """The chunks of arrays as pieces of the whole: `blocks` has the chunk of each array, by piece."""

    def __init__(self, arrays: Sequence[Any]) -> None:
        first = arrays[0]
        row = int(numpy.prod(first.shape[1:], dtype=object)) if first.ndim else 1
        lengths = [rows * row for rows in (first.chunks[0] if first.ndim else (1,))]
        self.total = sum(lengths)
        self.dtypes = [array.dtype for array in arrays]
        self.offsets = list(itertools.accumulate([0] + lengths))
        self.blocks = list(zip(*(array.to_delayed().ravel() for array in arrays)))

    def place(self, i: int) -> Dict[str, int]:
        return {"offset": self.offsets[i], "total": self.total}


def _check(x: Any, field: str) -> None:
    if not isinstance(x, dask.array.Array):
        raise _errors.wrong_type("BAD_REQUEST", "%s is no dask array" % type(x).__name__, field, "dask.array")
    _types.numpy_type(x.dtype)  # an Error names other types
    if any(math.isnan(extent) for extent in x.shape):
        raise _errors.make(
            "BAD_RANGE",
            "chunks of unknown length",
            field,
            "known lengths: x.compute_chunk_sizes() finds them",
        )


def _paired(x: Any, y: Any) -> Any:
    _check(x, "x")
    _check(y, "y")
    if x.shape != y.shape or x.dtype != y.dtype:
        raise _errors.make(
            "BAD_RANGE", "y is %s %s" % (y.dtype, y.shape), "y", "%s %s, as x" % (x.dtype, x.shape)
        )
    return y


def _check_options(options: Dict[str, Any], fallbacks: Tuple[Any, ...]) -> None:
    if options.get("fallback") not in fallbacks:
        allowed = " or ".join(repr(each) for each in fallbacks)
        raise _errors.make("BAD_RANGE", "fallback is %r" % (options["fallback"],), "fallback", allowed)
    for name in options:
        if name not in ("socket", "fallback", "priority", "deadline", "backend"):
            raise TypeError("tegu.dask takes no option %r" % name)


def _pieces(*arrays: Any) -> _Pieces:
    for array, field in zip(arrays, ("x", "y")):
        _check(array, field)
    return _Pieces([array.rechunk({axis: -1 for axis in range(1, array.ndim)}) for array in arrays])


def _merged(parts: List[Any]) -> Any:
    """A tree of tasks that merge; its shape is free, as any order gives the same bits."""
    while len(parts) > 1:
        parts = [delayed(_merge)(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
    return parts[0]


def _whole(operation: str, pieces: _Pieces, options: Dict[str, Any], **params: Any) -> Any:
    _check_options(options, (None, "numpy"))
    known = dict(params, range=(0, 1)) if is_dask_collection(params.get("range")) else params
    empty = [numpy.empty(0, dtype) for dtype in pieces.dtypes]  # an Error names a wrong parameter
    getattr(NumpyPartials(), operation + "_partial")(*empty, total=pieces.total, **known)
    if operation == "topk" and params["k"] > pieces.total > 0:
        raise _errors.make("BAD_RANGE", "k is %r" % (params["k"],), "k", "1..%d" % pieces.total)
    call = delayed(_partial)
    parts = [
        call(operation, pieces.place(i), list(block), params, options)
        for i, block in enumerate(pieces.blocks)
    ]
    return _merged(parts).result()


def _finite_range(pieces: _Pieces, options: Dict[str, Any]) -> Any:
    """A Delayed of the smallest and the largest finite element; None: there is none, or all are equal."""
    found = [delayed(_finite)(piece[0], options) for piece in pieces.blocks]
    return delayed(_joined)(found)


# Tasks


def _partial(
    operation: str, place: Dict[str, int], block: List[Any], params: Dict[str, Any], options: Dict[str, Any]
) -> Partial:
    xs = [numpy.ascontiguousarray(x) for x in block]
    if operation == "entropy" and xs[0].dtype.kind == "f" and params["range"] is None:
        return one_level(xs[0], params, **place)
    found: Partial = ask(operation + "_partial", options, *xs, **dict(params, **place))
    return found


def _merge(parts: List[Optional[Partial]]) -> Optional[Partial]:
    known = [part for part in parts if part is not None]
    return merge(known) if known else None


def _count(
    run: Any, i: int, place: Dict[str, int], x: Any, found: Quantile, last: bool, options: Dict[str, Any]
) -> Optional[Partial]:
    if found.done:
        return None
    x = numpy.ascontiguousarray(x)
    client = client_of(options)
    if isinstance(client, Client):
        x = held(client, x, (run, i), last)
    counts: Partial = ask("quantile_partial", options, x, found.state, **place)
    return counts


def _advance(found: Quantile, counts: Optional[Partial]) -> Quantile:
    if counts is None:
        return found
    return copy.deepcopy(found).add(counts)


def _quantiles(found: Quantile, shape: Tuple[int, ...]) -> Any:
    """A number for one q, else an array in the shape of q, of the type that Client.quantile() gives."""
    values = found.result()
    if shape == ():
        return values
    between = found.method in ("linear", "midpoint")
    return numpy.array(values, "float64" if between else _types.NAMES[found.type]).reshape(shape)


def _outwards(found: Tuple[Any, Any]) -> Tuple[float, float]:
    """As f64: a 64-bit integer that f64 has not becomes the next one outwards."""
    low, high = float(found[0]), float(found[1])
    if isinstance(found[0], int):
        low = float(numpy.nextafter(low, -math.inf)) if int(low) > found[0] else low
        high = float(numpy.nextafter(high, math.inf)) if int(high) < found[1] else high
    return low, high


def _finite(x: Any, options: Dict[str, Any]) -> Range:
    if x.size == 0:
        return None
    x = numpy.ascontiguousarray(x)
    found = ask("reduce_partial", options, x, "minmax", total=x.size, skip_nans=True)
    low, high = found.result()["minmax"]
    if not (math.isfinite(low) and math.isfinite(high)):
        some = x[numpy.isfinite(x)]
        return (float(some.min()), float(some.max())) if some.size else None
    return low, high


def _joined(found: List[Range]) -> Range:
    known = [each for each in found if each is not None]
    low, high = min((each[0] for each in known), default=0.0), max((each[1] for each in known), default=0.0)
    return (low, high) if low < high else None


def _entropy_map(image: Any, params: Dict[str, Any], found: Range, options: Dict[str, Any]) -> Any:
    if image.size == 0:
        return numpy.empty(image.shape, "float32")
    return ask("entropy_map", options, numpy.ascontiguousarray(image), range=found, **params)


def _rowscale(x: Any, skip_nans: bool, options: Dict[str, Any]) -> Any:
    """The rows, and their scales behind them: one array, as a task of dask has."""
    if x.size == 0:
        return numpy.zeros(x.shape[:-1] + (x.shape[-1] + 1,), x.dtype)
    values, scales = ask("rowscale", options, numpy.ascontiguousarray(x), axis=-1, skip_nans=skip_nans)
    return numpy.concatenate([values, numpy.asarray(scales, x.dtype)[..., None]], axis=-1)


def _add(x: Any, y: Any, options: Dict[str, Any]) -> Any:
    return ask("add", options, numpy.ascontiguousarray(x), numpy.ascontiguousarray(y))

# SPDX-License-Identifier: Apache-2.0
"""The partial of topk: the best k elements of the known ranges, with their places in the whole array."""

import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .. import _abi, _arrays, _errors, _types
from .._operations import topk as _topk
from . import codec
from .codec import refused
from .piece import Piece, PieceOperation, part
from .value import Frame, Partial, kind

Candidate = Tuple[int, int, int]  # rank, index, bits
_SIGNED, _FLOATING = "i", "f"


def rank_of(bits: int, number: int, largest: bool) -> int:
    """The order of docs/numerics.md: the smallest rank is the best. REQUIRES: canonical bits."""
    width = 8 * _types.BYTES[number]
    kind_of_type, sign, every = _types.WORDS[number][0], 1 << (width - 1), (1 << width) - 1
    if kind_of_type == _FLOATING:
        rank = bits ^ every if bits & sign else bits ^ sign
    else:
        rank = bits ^ sign if kind_of_type == _SIGNED else bits
    return rank ^ every if largest else rank


def _best(candidates: List[Candidate], k: int, distinct: bool) -> List[Candidate]:
    ordered = sorted(candidates)
    if not distinct:
        return ordered[:k]
    made: List[Candidate] = []
    for each in ordered:
        if not made or made[-1][0] != each[0]:
            made.append(each)
            if len(made) == k:
                break
    return made


@kind
class TopkPartial(Partial):
    operation = "topk"

    @classmethod
    def joined(cls, parts: Sequence[Partial], total: Optional[int]) -> Any:
        params = parts[0].params
        return _best([each for part in parts for each in part.data], params["k"], params["distinct"])

    def finish(self, total: int) -> Tuple[Any, Any]:
        k = self.params["k"]
        if total == 0:
            raise _errors.make("EMPTY_INPUT", "topk of an empty sequence is not defined", "k", "at least 1")
        if k > total:
            raise _errors.make(
                "BAD_RANGE", "k is %d, and there are %d elements" % (k, total), "k", "1..%d" % total
            )
        values = b"".join(_bytes_of(bits, self.type) for _, _, bits in self.data)
        indices = codec.packed(((index,) for _, index, _ in self.data), "q")
        shape = (len(self.data),)
        return _arrays.shaped(bytearray(values), self.type, shape), _arrays.shaped(
            bytearray(indices), 8, shape
        )

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        return {}, [codec.packed(((index, bits) for _, index, bits in self.data), "QQ")]

    @classmethod
    def unpacked(cls, frame: Frame, header: Dict[str, Any], sections: List[bytes]) -> Any:
        (section,) = sections
        params, found = frame.params, []
        for index, bits in codec.records(section, "QQ", "values"):
            if bits >> (8 * _types.BYTES[frame.type]):
                raise refused("values", "a value does not fit %s" % _types.WORDS[frame.type])
            frame.check_known(index)
            found.append((rank_of(bits, frame.type, params["largest"]), index, bits))
        if len({index for _, index, _ in found}) != len(found):
            raise refused("indices", "an index is there twice")
        expected = min(params["k"], frame.elements)
        complete = len(found) <= expected if params["distinct"] else len(found) == expected
        if not complete or _best(found, params["k"], params["distinct"]) != found:
            raise refused("values", "the values are not the best k, in order")
        return found

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        k = params["k"]
        if type(k) is not int or not 1 <= k < 1 << 64:
            raise refused("k", "k is %r" % (k,), "1 or more")
        flags = (params["largest"], params["distinct"])
        if any(type(flag) is not bool for flag in flags) or set(params) != {"k", "largest", "distinct"}:
            raise ValueError("they are %s" % sorted(params))


def _bytes_of(bits: int, number: int) -> bytes:
    return struct.pack("<Q", bits)[: _types.BYTES[number]]


@part
class Candidates(PieceOperation, _topk.Parameters):
    """The job of one piece."""

    def __init__(self, piece: Piece, k: Any, largest: bool = True, distinct: bool = False) -> None:
        _topk.Parameters.__init__(self, k, largest, distinct)
        self.piece = piece
        self.params = {"k": self.fields["k"], "largest": bool(largest), "distinct": bool(distinct)}
        if self.params["k"] == 0:
            raise _errors.make("BAD_RANGE", "k is 0", "k", "1 or more")
        self.fields["k"] = min(self.fields["k"], max(piece.n, 1))

    def result(self, arrays: Dict[int, Any]) -> Any:
        values, indices = arrays[_abi.ROLES["values"]], arrays[_abi.ROLES["indices"]]
        code = {1: "B", 2: "H", 4: "I", 8: "Q"}[self.piece.width]
        raw = struct.unpack("<%d%s" % (values.cols, code), values.raw())
        found = [
            (rank_of(bits, self.piece.type, self.params["largest"]), index + self.piece.offset, bits)
            for bits, index in zip(raw, indices.numbers())
            if index >= 0
        ]
        return self.partial(found)

    def empty(self) -> Partial:
        return self.partial([])

    def partial(self, found: List[Candidate]) -> Partial:
        return TopkPartial(self.piece.type, self.params, self.piece.total, [self.piece.range], found)

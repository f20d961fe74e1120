# SPDX-License-Identifier: Apache-2.0
"""The partials of several operations from one job."""

from typing import Any, Dict, List, Optional, Sequence, Tuple

from .. import _errors
from .._operations import fused as _fused
from .codec import refused
from .piece import PARTS, Piece, PieceOperation
from .value import Frame, Partial, kind, merge, read


@kind
class FusedPartial(Partial):
    """data: {operation: its partial}"""

    operation = "fused"

    @classmethod
    def joined(cls, parts: Sequence[Partial], total: Optional[int]) -> Any:
        return {name: merge(part.data[name] for part in parts) for name in parts[0].data}

    def result(self) -> Dict[str, Any]:
        return {name: part.result() for name, part in self.data.items()}

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        return {}, [self.data[name].to_bytes() for name in self.params["parts"]]

    @classmethod
    def unpacked(cls, frame: Frame, header: Dict[str, Any], sections: List[bytes]) -> Any:
        found = [read(section) for section in sections]
        if [part.operation for part in found] != frame.params["parts"]:
            raise refused("parts", "the parts are not those of the parameters")
        for part in found:
            same = (part.type, part.total, part.ranges) == (frame.type, frame.total, frame.ranges)
            if not same:
                raise refused("parts", "a part is of another piece")
        return {part.operation: part for part in found}

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        parts = params["parts"]
        if set(params) != {"parts"} or not parts or len(set(parts)) != len(parts):
            raise ValueError("they are %s" % sorted(params))
        for name in parts:
            if name not in PARTS:
                raise refused("parts", "the part %r is not known" % (name,), " ".join(PARTS))


class Parts(PieceOperation, _fused.Parameters):
    """The job of one piece."""

    def __init__(self, piece: Piece, parts: Dict[str, Dict[str, Any]]) -> None:
        self.piece, self.parts = piece, []
        if not parts:
            raise _errors.make("BAD_REQUEST", "there are no parts", "parts", " ".join(PARTS))
        for name, arguments in parts.items():
            if name not in PARTS:
                raise _errors.make(
                    "UNSUPPORTED", "a partial of %s cannot be fused" % name, "parts", " ".join(PARTS)
                )
            if not isinstance(arguments, dict):
                raise TypeError("%s=%r: a dict of its arguments is allowed" % (name, arguments))
            self.parts.append(PARTS[name](piece, **arguments))
        self.params = {"parts": list(parts)}

    def result(self, arrays: Dict[int, Any]) -> Any:
        return self.joined([part.result(arrays) for part in self.parts])

    def empty(self) -> Partial:
        parts: Any = self.parts
        return self.joined([part.empty() for part in parts])

    def joined(self, found: List[Partial]) -> Partial:
        piece = self.piece
        named = {part.operation: part for part in found}
        return FusedPartial(piece.type, self.params, piece.total, [piece.range], named)

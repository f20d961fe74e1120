# SPDX-License-Identifier: Apache-2.0
"""The partial of dot: a tree for floats, one exact sum for integers."""

import struct
from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple

from .. import _abi, _errors, _types
from .._operations import dot as _dot
from . import codec, facts, leaves
from .piece import Piece, PieceOperation
from .reduce import unpacked_tree
from .tree import Tree, edges_of, key_of
from .value import Frame, Partial, kind

_NODE, _EDGE, _WORDS = "QQd", "QQ", 3


def _merge(a: float, b: float) -> float:
    return leaves.canonical(a + b)


class _Data(object):
    def __init__(self, exact: int, tree: Tree) -> None:
        self.exact, self.tree = exact, tree


@kind
class DotPartial(Partial):
    operation = "dot"

    def _close(self, raw: Tuple[bytes, ...]) -> float:
        return leaves.products_sum(raw[0], raw[1], self.type, self.params["skip_nans"])

    @classmethod
    def joined(cls, parts: Sequence[Partial], total: Optional[int]) -> Any:
        first: Any = parts[0]
        tree = Tree.joined(
            [part.data.tree for part in parts], _types.BYTES[first.type], total, first._close, _merge
        )
        return _Data(sum(part.data.exact for part in parts), tree)

    def finish(self, total: int) -> Any:
        if self.type in facts.FLOATS:
            if total == 0:
                return 0.0
            return self.data.tree.root(total, _types.BYTES[self.type], self._close, _merge)
        signed = _types.WORDS[self.type][0] == "i"
        low, high = (-(1 << 63), (1 << 63) - 1) if signed else (0, (1 << 64) - 1)
        if not low <= self.data.exact <= high:
            raise _errors.make(
                "OVERFLOW",
                "dot is %d and does not fit %s" % (self.data.exact, "i64" if signed else "u64"),
                "dot",
                "-2^63..2^63-1" if signed else "0..2^64-1",
            )
        return self.data.exact

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        tree: Tree = self.data.tree
        nodes = codec.packed((key + (value,) for key, value in sorted(tree.nodes.items())), _NODE)
        width = _types.BYTES[self.type]
        edges = sorted(tree.edges.items())
        places = codec.packed(((begin, len(raw[0]) // width) for begin, raw in edges), _EDGE)
        elements = [b"".join(raw[i] for _, raw in edges) for i in (0, 1)]
        return {"sum": str(self.data.exact)}, [nodes, places] + elements

    @classmethod
    def unpacked(cls, frame: Frame, header: Dict[str, Any], sections: List[bytes]) -> Any:
        nodes, places, x, y = sections
        rows = codec.records(nodes, _NODE, "nodes")
        wanted = frame.type in facts.FLOATS
        tree = unpacked_tree(frame, [(row[:2], row[2:]) for row in rows], places, (x, y), wanted)
        tree.nodes = {key: value[0] for key, value in tree.nodes.items()}
        exact = codec.whole_of(header["sum"])
        if wanted and exact:
            raise ValueError("floats have no exact sum")
        return _Data(exact, tree)

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        if type(params["skip_nans"]) is not bool or set(params) != {"skip_nans"}:
            raise ValueError("they are %s" % sorted(params))


class Nodes(PieceOperation, _dot.Parameters):
    """The job of one piece."""

    def __init__(self, piece: Piece, skip_nans: bool) -> None:
        _dot.Parameters.__init__(self, skip_nans)
        self.piece, self.params = piece, {"skip_nans": bool(skip_nans)}
        self.floating = piece.type in facts.FLOATS
        place = (piece.offset, piece.is_last) if self.floating else (0, True)
        self.fields.update(partial=1, offset=place[0] & 0xFFFFFFFF, last=int(place[1]))
        self.edges, self.nodes = edges_of(piece.read, place[0], piece.n, place[1])

    def result(self, arrays: Dict[int, Any]) -> Any:
        words = arrays[_abi.ROLES["nodes"]].numbers()
        piece, nodes, exact = self.piece, [], 0
        for i, (begin, count) in enumerate(self.nodes):
            low, middle, high = words[_WORDS * i : _WORDS * (i + 1)]
            if self.floating:
                value = struct.unpack("<d", struct.pack("<Q", low))[0]
                nodes.append((key_of(piece.offset + begin, count), value))
            else:
                limbs = low | middle << 64 | high << 128
                exact += limbs - (1 << 192) if limbs >> 191 else limbs
        return self.partial(exact, nodes, self.edges)

    def partial(
        self, exact: int, nodes: Iterable[Tuple[Any, float]], edges: Iterable[Tuple[int, Any]]
    ) -> Partial:
        """Of integers the exact sum; of floats nodes, (key, value), and edges, (place, elements)."""
        piece, tree = self.piece, Tree()
        made = DotPartial(piece.type, self.params, piece.total, [piece.range], _Data(exact, tree))
        for key, value in nodes:
            tree.put(key, value, _merge)
        for begin, raw in edges:
            tree.put_edge(begin, raw, piece.width, piece.total, made._close, _merge)
        return made

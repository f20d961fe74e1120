# SPDX-License-Identifier: Apache-2.0
"""The partial of reduce."""

import struct
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .. import _abi, _errors, _types
from .._operations import reduce as _reduce
from . import codec, facts, leaves, moments, values
from .codec import refused
from .piece import Piece, PieceOperation, part
from .tree import Tree, edges_of, key_of
from .value import Frame, Partial, kind

_NEEDS = {
    "sum": leaves.SUM,
    "mean": leaves.SUM,
    "l1": leaves.L1,
    "l2": leaves.MOMENTS,
    "var": leaves.MOMENTS,
    "std": leaves.MOMENTS,
}
_OF_EMPTY = ("count", "sum", "nonzero", "nans")
_NODE = "QQdddddQ"  # level, index, sum, l1, n, s, q, flags
_EDGE = "QQ"  # begin, elements


def needs_of(number: int, params: Dict[str, Any]) -> int:
    """What the tree must hold; 0: no tree, as the facts say all."""
    if number not in facts.FLOATS:
        return 0
    needs = 0
    for name in params["stats"]:
        needs |= _NEEDS.get(name, 0)
    return needs | (leaves.SKIP_NANS if needs and params["skip_nans"] else 0)


def merge_nodes(a: leaves.Node, b: leaves.Node) -> leaves.Node:
    flags = a[5] | b[5]
    n, s, q = moments.merge(a[2:5], b[2:5]) if flags == 0 else (0.0, 0.0, 0.0)
    return (
        leaves.canonical(a[0] + b[0]),
        leaves.canonical(a[1] + b[1]),
        n,
        leaves.canonical(s),
        leaves.canonical(q),
        flags,
    )


class Data(object):
    def __init__(self, known: facts.Facts, tree: Tree) -> None:
        self.facts, self.tree = known, tree


@kind
class ReducePartial(Partial):
    operation = "reduce"

    @classmethod
    def joined(cls, parts: Sequence[Partial], total: Optional[int]) -> Any:
        first = parts[0]
        needs = needs_of(first.type, first.params)
        tree = Tree.joined(
            [part.data.tree for part in parts],
            _types.BYTES[first.type],
            total,
            lambda raw: leaves.chunk_node(raw[0], first.type, needs),
            merge_nodes,
        )
        known = facts.merged((part.data.facts for part in parts), first.params["skip_nans"])
        return Data(known, tree)

    def finish(self, total: int) -> Dict[str, Any]:
        needs = needs_of(self.type, self.params)
        root = leaves.EMPTY
        if total == 0:
            for name in self.params["stats"]:
                if name not in _OF_EMPTY:
                    raise _errors.make(
                        "EMPTY_INPUT",
                        "%s of an empty sequence is not defined" % name,
                        "statistics",
                        " ".join(_OF_EMPTY),
                    )
        elif needs:
            root = self.data.tree.root(
                total,
                _types.BYTES[self.type],
                lambda raw: leaves.chunk_node(raw[0], self.type, needs),
                merge_nodes,
            )
        made = values.Floats if self.type in facts.FLOATS else values.Integers
        found = made(self, total, root)
        return {name: getattr(found, name)() for name in self.params["stats"]}

    def packed(self) -> Tuple[Dict[str, Any], List[bytes]]:
        tree: Tree = self.data.tree
        nodes = codec.packed((key + value for key, value in sorted(tree.nodes.items())), _NODE)
        width = _types.BYTES[self.type]
        edges = sorted(tree.edges.items())
        places = codec.packed(((begin, len(raw[0]) // width) for begin, raw in edges), _EDGE)
        header = {"facts": facts.packed(self.data.facts)}
        return header, [nodes, places, b"".join(raw[0] for _, raw in edges)]

    @classmethod
    def unpacked(cls, frame: Frame, header: Dict[str, Any], sections: List[bytes]) -> Any:
        nodes, places, elements = sections
        states = facts.states_of(frame.params["stats"], frame.type, frame.params["skip_nans"])
        known = facts.unpacked(header["facts"], frame.type, states, frame.elements)
        for place in (known.argmin, known.argmax, known.nan_at):
            if place >= 0:
                frame.check_known(place)
        rows = codec.records(nodes, _NODE, "nodes")
        for n, q, flags in ((row[4], row[6], row[7]) for row in rows):
            if not 0 <= n <= frame.elements or q < 0 or flags & ~(leaves.NAN_FLAG | leaves.INFINITY_FLAG):
                raise refused("nodes", "a node has n = %r, q = %r, flags = %r" % (n, q, flags))
        tree = unpacked_tree(
            frame,
            [(row[:2], row[2:]) for row in rows],
            places,
            (elements,),
            needs_of(frame.type, frame.params) != 0,
        )
        return Data(known, tree)

    @classmethod
    def checked(cls, number: int, params: Dict[str, Any]) -> None:
        known = params["stats"]
        if not isinstance(known, list) or not known or any(name not in _abi.STATISTICS for name in known):
            raise refused("stats", "the statistics are %r" % (known,), " ".join(_abi.STATISTICS))
        if params["ddof"] not in (0, 1) or type(params["ddof"]) is not int:
            raise refused("ddof", "ddof is %r" % (params["ddof"],), "0 or 1")
        if type(params["skip_nans"]) is not bool or set(params) != {"stats", "ddof", "skip_nans"}:
            raise ValueError("they are %s" % sorted(params))


def unpacked_tree(
    frame: Frame, nodes: List[Tuple[Any, Any]], places: bytes, inputs: Tuple[bytes, ...], wanted: bool
) -> Tree:
    """The tree of packed(): its nodes and edges together are the ranges of the partial."""
    tree, width = Tree(), _types.BYTES[frame.type]
    rows = codec.records(places, _EDGE, "edges")
    if not wanted and (nodes or rows or any(inputs)):
        raise refused("nodes", "the partial has nodes, which its statistics do not need")
    covered = []
    for (level, index), value in nodes:
        if level > 48 or index >= 1 << (48 - level) or (level, index) in tree.nodes:
            raise refused("nodes", "a node is at level %d, place %d" % (level, index))
        begin, end = index << level, (index + 1 << level) * leaves.CHUNK
        last = frame.ranges[-1][1] if frame.ranges else 0
        if end > last and begin * leaves.CHUNK < last:
            end = last  # the last chunk of the array may be shorter
        covered.append((begin * leaves.CHUNK, end))
        tree.nodes[level, index] = tuple(value)
    at = 0
    for begin, count in rows:
        if count == 0 or begin % leaves.CHUNK + count > leaves.CHUNK or begin in tree.edges:
            raise refused("edges", "an edge of %d elements is at %d" % (count, begin))
        raw = tuple(data[at : at + count * width] for data in inputs)
        tree.edges[begin] = raw
        at += count * width
        covered.append((begin, begin + count))
    if any(len(data) != at for data in inputs):
        raise refused("edges", "the edges do not fill their section")
    if wanted:
        frame.check_covered(covered)
    return tree


@part
class Nodes(PieceOperation, _reduce.Parameters):
    """The job of one piece."""

    def __init__(self, piece: Piece, stats: Any = ("sum",), ddof: int = 0, skip_nans: bool = False) -> None:
        _reduce.Parameters.__init__(self, stats, ddof, skip_nans)
        self.piece = piece
        self.params = {
            "stats": list(self.names),
            "ddof": self.fields["ddof"],
            "skip_nans": bool(self.fields["skip_nans"]),
        }
        _check_ddof(self.params["ddof"])
        self.needs = needs_of(piece.type, self.params)
        place = (piece.offset, piece.is_last) if self.needs else (0, True)
        self.fields.update(partial=1, offset=place[0] & 0xFFFFFFFF, last=int(place[1]))
        edges_and_nodes = edges_of(piece.read, place[0], piece.n, place[1])
        self.edges, self.nodes = edges_and_nodes

    def result(self, arrays: Dict[int, Any]) -> Any:
        found = arrays[_abi.ROLES["nodes"]].numbers()
        return self.partial([found[i : i + facts.WORDS] for i in range(0, len(found), facts.WORDS)])

    def empty(self) -> Partial:
        return self.partial([])

    def partial(self, rows: Sequence[Tuple[int, ...]]) -> Partial:
        piece, skip = self.piece, self.params["skip_nans"]
        states = facts.states_of(self.params["stats"], piece.type, skip)
        known, tree = [], Tree()
        for (begin, count), words in zip(self.nodes, rows):
            known.append(facts.of_words(words, piece.offset + begin, count, piece.type, states, skip))
            if self.needs:
                key = key_of(piece.offset + begin, count)
                tree.put(key, self._node(words, count, known[-1].nans), merge_nodes)
        for begin, raw in self.edges:
            if states:
                known.append(facts.of_elements(raw[0], begin, piece.type, states, skip))
            tree.put_edge(
                begin,
                raw,
                piece.width,
                piece.total,
                lambda data: leaves.chunk_node(data[0], piece.type, self.needs),
                merge_nodes,
            )
        return ReducePartial(
            piece.type, self.params, piece.total, [piece.range], Data(facts.merged(known, skip), tree)
        )

    def _node(self, words: Tuple[int, ...], count: int, nans: int) -> leaves.Node:
        total, l1, n, s, q = struct.unpack("<5d", struct.pack("<5Q", *words[:5]))
        if self.params["skip_nans"] and nans == count:
            l1 = 0.0  # of no elements; the reply has NaN
        return (total, l1, n, s, q, words[5])


def _check_ddof(ddof: int) -> None:
    if ddof > 1:
        raise _errors.make("BAD_RANGE", "ddof is %d" % ddof, "ddof", "0 or 1")

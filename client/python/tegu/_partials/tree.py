# SPDX-License-Identifier: Apache-2.0
"""The canonical tree over the chunks of an array: the nodes that some pieces know, and the elements of chunks
that no piece knows whole."""

from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

from .codec import refused
from .leaves import CHUNK

MAX_LEVEL = 18  # of a node in the reply of a job
Key = Tuple[int, int]  # level, index: chunks [index << level, (index + 1) << level)
Raw = Tuple[bytes, ...]  # the elements of each input
Merge = Callable[[Any, Any], Any]
Close = Callable[[Raw], Any]


def nodes_of(offset: int, n: int, last: bool) -> Iterator[Tuple[int, int]]:
    """(begin, elements) of the nodes of a piece, relative to it: base/tree_nodes.h."""
    begin = -offset % CHUNK
    if begin > n:
        return
    chunk, left = (offset + begin) // CHUNK, (n - begin) // CHUNK
    while left:
        level = 0
        while level < MAX_LEVEL and (chunk >> level) % 2 == 0 and left >> (level + 1):
            level += 1
        yield begin, CHUNK << level
        begin, chunk, left = begin + (CHUNK << level), chunk + (1 << level), left - (1 << level)
    if last and begin < n:
        yield begin, n - begin


def key_of(begin: int, count: int) -> Key:
    """Of a node that begins at element `begin` of the array; the last chunk may be shorter."""
    level = max(count // CHUNK, 1).bit_length() - 1
    return level, begin // CHUNK >> level


class Tree(object):
    """Both are in a normal form: no two nodes are halves of one, and no edges are neighbours.

    nodes  key -> value
    edges  begin -> the elements from there on, within one chunk
    """

    def __init__(self) -> None:
        self.nodes: Dict[Key, Any] = {}
        self.edges: Dict[int, Raw] = {}

    def put(self, key: Key, value: Any, merge: Merge) -> None:
        level, index = key
        while (level, index ^ 1) in self.nodes:
            other = self.nodes.pop((level, index ^ 1))
            value = merge(other, value) if index & 1 else merge(value, other)
            level, index = level + 1, index >> 1
        self.nodes[level, index] = value

    def put_edge(
        self, begin: int, raw: Raw, width: int, total: Optional[int], close: Close, merge: Merge
    ) -> None:
        """`raw` lies within one chunk; `width`: bytes of an element."""
        chunk = begin // CHUNK
        first, end = begin, begin + len(raw[0]) // width
        for other in [at for at in self.edges if at // CHUNK == chunk]:
            data = self.edges[other]
            if other + len(data[0]) // width == first:
                raw = tuple(a + b for a, b in zip(data, raw))
                first = other
            elif other == end:
                raw = tuple(a + b for a, b in zip(raw, data))
                end += len(data[0]) // width
            else:
                continue
            del self.edges[other]
        border = (chunk + 1) * CHUNK if total is None else min((chunk + 1) * CHUNK, total)
        if first == chunk * CHUNK and end == border:
            self.put((0, chunk), close(raw), merge)
        else:
            self.edges[first] = raw

    def root(self, total: int, width: int, close: Close, merge: Merge) -> Any:
        """The root of a tree that is known whole. REQUIRES: total != 0."""
        whole = Tree()
        whole.nodes = dict(self.nodes)
        for begin, raw in sorted(self.edges.items()):
            whole.put_edge(begin, raw, width, total, close, merge)
        ordered = sorted(whole.nodes, key=lambda key: key[1] << key[0])
        at = 0
        for level, index in ordered:
            if index << level != at:
                raise refused("data", "the nodes of the partial are not those of its ranges")
            at += 1 << level
        if whole.edges or at < -(-total // CHUNK):
            raise refused("data", "the nodes of the partial are not those of its ranges")
        value = whole.nodes[ordered[-1]]
        for key in reversed(ordered[:-1]):
            value = merge(whole.nodes[key], value)
        return value

    @staticmethod
    def joined(trees: List["Tree"], width: int, total: Optional[int], close: Close, merge: Merge) -> "Tree":
        made = Tree()
        for tree in trees:
            for key, value in tree.nodes.items():
                made.put(key, value, merge)
            for begin, raw in tree.edges.items():
                made.put_edge(begin, raw, width, total, close, merge)
        return made


Edges = List[Tuple[int, Raw]]


def edges_of(
    read: Callable[[int, int], Raw], offset: int, n: int, last: bool
) -> Tuple[Edges, List[Tuple[int, int]]]:
    """The elements of a piece that are in none of its nodes, cut at chunks, and the nodes.

    read(begin, count): elements of the piece"""
    nodes = list(nodes_of(offset, n, last))
    first, end = (nodes[0][0], sum(nodes[-1])) if nodes else (n, n)
    edges = []
    for begin, stop in ((0, first), (end, n)):
        while begin < stop:
            count = min(stop - begin, CHUNK - (offset + begin) % CHUNK)
            edges.append((offset + begin, read(begin, count)))
            begin += count
    return edges, nodes

# SPDX-License-Identifier: Apache-2.0
"""A report as plain data, before it is a page or Markdown: sections of paragraphs, tables and pictures. All
texts are plain and not escaped: a writer escapes them."""

from dataclasses import dataclass, field
from typing import Callable, List, Optional, Union

BEST, MODELLED, QUIET, ALARM = "best", "modelled", "quiet", "alarm"  # how a cell is set


@dataclass(frozen=True)
class Cell:
    text: str
    style: str = ""
    note: str = ""  # a second line in small print


@dataclass
class Column:
    name: str
    number: bool = True  # set to the right
    modelled: bool = False


@dataclass
class Table:
    title: str
    columns: List[Column]  # the first one names the row
    rows: List[List[Union[Cell, str]]]
    note: str = ""
    folded: bool = False  # long: shown on demand


@dataclass
class Picture:
    """title: above it. words: what it shows, for who cannot see it. draw(width): a matplotlib figure of that
    many pixels at normal size."""

    title: str
    words: str
    draw: Callable[[int], object]
    wide: bool = False  # drawn twice: for a page and for a phone
    made: Optional[str] = field(default=None, repr=False)


@dataclass
class Pictures:
    pictures: List[Picture]
    legend: List["Key"] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True)
class Key:
    """An entry of a legend: the name of a series and its place in the palette."""

    name: str
    series: int
    hollow: bool = False


@dataclass
class Warnings:
    lines: List[str]


@dataclass
class Section:
    id: str
    title: str
    lead: List[str] = field(default_factory=list)
    blocks: List[Union[Table, Pictures, Warnings]] = field(default_factory=list)


@dataclass
class Report:
    title: str
    subtitle: str
    sections: List[Section]


def cell(value) -> Cell:
    return value if isinstance(value, Cell) else Cell(value)

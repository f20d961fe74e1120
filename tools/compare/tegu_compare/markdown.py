# SPDX-License-Identifier: Apache-2.0
"""A report as Markdown: the texts and tables of the page, and the words of its pictures. Texts of files are
escaped: they cannot make markup."""

import re

from .report import ALARM, BEST, MODELLED, Pictures, Table, Warnings, cell

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def escape(text):
    return _MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def _cell(value):
    value = cell(value)
    text = escape(value.text)
    if value.style in (BEST, ALARM) and text:
        text = "**%s**" % text
    elif value.style == MODELLED and text:
        text = "*%s*" % text
    return text + (" (%s)" % escape(value.note) if value.note else "")


def _table(table):
    lines = ["**%s**" % escape(table.title), ""] if table.title else []
    lines.append("| " + " | ".join(escape(column.name) for column in table.columns) + " |")
    lines.append("|" + "|".join("---:" if column.number else "---" for column in table.columns) + "|")
    lines += ["| " + " | ".join(_cell(value) for value in row) + " |" for row in table.rows]
    return lines + ([""] + [escape(table.note)] if table.note else []) + [""]


def _block(block):
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Warnings):
        return ["- " + escape(line) for line in block.lines] + [""]
    assert isinstance(block, Pictures)
    return []  # what they show stands in the tables


def write(report):
    lines = ["# " + escape(report.title), ""]
    if report.subtitle:
        lines += [escape(report.subtitle), ""]
    for section in report.sections:
        lines += ["## " + escape(section.title), ""]
        for paragraph in section.lead:
            lines += [escape(paragraph), ""]
        for block in section.blocks:
            lines += _block(block)
    return "\n".join(lines).rstrip() + "\n"

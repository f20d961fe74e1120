#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what the manual pages of tegu, tegud, tegu-bench and tegu-tune say of commands and options, from
what the programs say of themselves with --help.
    write_man_pages.py BIN [--check]      BIN: the folder of the programs; --check: only tell whether the
    pages are as they would be written
The rest of a page is written by hand. Written are the lines between `.\\" begin KIND [COMMAND]` and `.\\"
end`; a command without such lines gets them. tegud.toml(5) is not of this: it is written from the table of
settings (the target settings-pages)."""

import copy
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(FOLDER, "..", "..", "tools", "completion"))
from cli_help import has_own_options, read_command, read_program  # noqa: E402

OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*(?![\w-])")


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def marked(text):
    """A line of text with the names of options in bold."""
    out, at = "\\&" if text[:1] in (".", "'") else "", 0
    for found in OPTION.finditer(text):
        out += roff(text[at : found.start()]) + "\\fB" + roff(found.group()) + "\\fR"
        at = found.end()
    return out + roff(text[at:])


def tag(option):
    names = [roff(name) for name in option.names]
    if option.type:
        return '.BI %s " %s"' % ("\\fR,\\ \\fB".join(names), roff(kind_and_range(option)[0]))
    return ".B " + names[0] if len(names) == 1 else ".BR " + " ,\\  ".join(names)


def kind_and_range(option):
    """CLI11 writes the bounds that it checks itself behind the type: UINT:UINT in [1 - 1024]."""
    found = re.match(r"\w+:\w+ in \[(\S+) - (\S+)\]", option.type)
    if found:
        return "N", "%s to %s." % found.groups()
    return {"UINT": "N", "INT": "N", "FLOAT": "N"}.get(option.type, option.type), ""


def sentences(option, default=None):
    text = option.text
    found = re.match(r"(.*) \[(.*)\]$", text)
    if found:
        text, default = found.group(1), default or found.group(2)
    text = (
        text[:1].upper() + text[1:]
        if option.text[:1].isalpha() and not option.text.startswith(("var ", "high,"))
        else text
    )
    parts = [text if text.endswith(".") else text + "."]
    if kind_and_range(option)[1]:
        parts.append(kind_and_range(option)[1])
    # Where --help does not list the words that are allowed.
    if option.words and not all(re.search(r"\b%s\b" % re.escape(word), text) for word in option.words):
        parts.append("One of %s." % ", ".join(option.words))
    if option.required:
        parts.append("Required.")
    if option.needs:
        parts.append("Only with %s." % " and ".join(option.needs))
    if option.excludes:
        parts.append("Not with %s." % " or ".join(option.excludes))
    if default is not None:
        parts.append("Default: %s." % default)
    return " ".join(parts)


def entries(options):
    return "".join(
        ".TP\n%s\n%s\n" % (tag(option), marked(sentences(option, getattr(option, "default", None))))
        for option in options
    )


def common(commands):
    """Options that all of them have, each with the longest of its explanations and all of its defaults."""
    shared = []
    for option in commands[0].options:
        alike = [other for command in commands for other in command.options if other.names == option.names]
        if len(alike) < len(commands):
            continue
        longest = copy.copy(max(alike, key=lambda other: len(other.text)))
        longest.words = max((other.words for other in alike), key=len)
        longest.needs, longest.excludes = [], []
        defaults = []
        for other in alike:
            found = re.search(r" \[(.*)\]$", other.text)
            if found and found.group(1) not in defaults:
                defaults.append(found.group(1))
        longest.default = " or ".join(defaults) if len(defaults) > 1 else None
        shared.append(longest)
    return shared


def without(options, others):
    names = [other.names for other in others]
    return [option for option in options if option.names not in names]


def is_operation(command):
    return any("--backend" in option.names for option in command.options)


def blocks_of_tegu(bin_folder):
    """(kind, command) -> lines; and the commands."""
    commands = read_program(os.path.join(bin_folder, "tegu"))[1:]
    operations = [command for command in commands if is_operation(command)]
    of_all = common(commands)
    of_operations = without(common(operations), of_all)
    blocks = {
        ("options", "of every command"): entries(of_all),
        ("options", "of every operation"): entries(of_operations),
        ("examples", ""): "".join(roff(command.example) + "\n" for command in commands),
    }
    for command in commands:
        own = without(command.options, of_all + (of_operations if is_operation(command) else []))
        blocks["options", command.name] = entries(own)
    return blocks, commands


def blocks_of(bin_folder, program):
    path = os.path.join(bin_folder, program)
    commands = read_program(path)
    blocks = {("options", command.name): entries(command.options) for command in commands}
    if program == "tegu-bench":
        blocks["options", "run"] = entries(read_command(path, ["run"], "").options)
    return blocks, []


def fill(page, blocks, commands):
    for command in commands:
        if '.\\" begin options %s\n' % command.name not in page:
            section = '.SS %s\n%s.\n.\\" begin options %s\n.\\" end\n' % (
                roff(command.name),
                marked(command.sentence),
                command.name,
            )
            page = page.replace(
                ".SS Options of every operation\n", section + ".SS Options of every operation\n"
            )
    unused = dict(blocks)

    def replaced(found):
        key = (found.group(2), (found.group(3) or "").strip())
        if key not in blocks:
            raise SystemExit('write_man_pages: there is nothing to write for "begin %s %s"' % key)
        unused.pop(key, None)
        return found.group(1) + blocks[key] + '.\\" end\n'

    page = re.sub(r'(?ms)^(\.\\" begin (\w+)( [^\n]*)?\n).*?^\.\\" end\n', replaced, page)
    if unused:
        raise SystemExit(
            'write_man_pages: no lines "begin %s" in the page'
            % '", "begin '.join(" ".join(key).strip() for key in unused)
        )
    return page


def main():
    if len(sys.argv) < 2:
        raise SystemExit("usage: write_man_pages.py BIN [--check]")
    bin_folder, check = sys.argv[1], "--check" in sys.argv
    stale = []
    for name, program in (
        ("tegu.1", "tegu"),
        ("tegud.8", "tegud"),
        ("tegu-bench.1", "tegu-bench"),
        ("tegu-tune.1", "tegu-tune"),
    ):
        path = os.path.join(bin_folder, program)
        if not os.path.exists(path) or not has_own_options(path):
            print(
                "%s: not looked at, there is no %s in %s, or one without Google Benchmark"
                % (name, program, bin_folder)
            )
            continue
        path = os.path.join(FOLDER, name)
        with open(path, encoding="utf-8") as source:
            page = source.read()
        blocks, commands = blocks_of_tegu(bin_folder) if program == "tegu" else blocks_of(bin_folder, program)
        filled = fill(page, blocks, commands)
        if filled == page:
            continue
        stale.append(name)
        if not check:
            with open(path, "w", encoding="utf-8") as target:
                target.write(filled)
    if stale and check:
        raise SystemExit(
            "not what --help says: %s; cmake --build BUILD --target man-pages writes it" % ", ".join(stale)
        )


if __name__ == "__main__":
    main()

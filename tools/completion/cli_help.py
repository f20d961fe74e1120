# SPDX-License-Identifier: Apache-2.0
"""What a program says of its own command line: --help of the program and of its commands, read into lists.
The man pages and the completion are written from this, so that none of the three says what the others do
not."""

import re
import subprocess

COLUMN = 30  # where --help begins its explanations


class Option:
    """`names` with their dashes; for a positional its name."""

    def __init__(self, left, text):
        names, _, rest = left.partition(" ")
        self.names = names.split(",")
        self.text = text
        self.required = re.search(r"\bREQUIRED\b", rest) is not None
        self.needs = _others("Needs", rest)
        self.excludes = _others("Excludes", rest)
        self.type = re.split(r" ?\b(?:REQUIRED|Needs:|Excludes:)", rest)[0].strip()  # "" of a flag
        self.words = []  # that alone are allowed, or offered
        self.is_list = False  # several of them, with commas

    def long_name(self):
        return max(self.names, key=len)


class Command:
    """`name` is empty for the program itself."""

    def __init__(self, name, sentence):
        self.name, self.sentence = name, sentence
        self.positionals, self.options, self.example = [], [], ""

    def option(self, name):
        return next(option for option in self.options if name in option.names)


def _others(word, rest):
    found = re.search(word + r": ((?:-\S+ ?)+)", rest)
    return found.group(1).split() if found else []


def _rows(lines):
    """(left, right) of lines as `  -o,--output FILE      Write ...`, where a long left part has the line to
    itself."""
    rows = []
    for line, following in zip(lines, lines[1:] + [""]):
        if line.startswith(" " * COLUMN):
            rows[-1] = (rows[-1][0], (rows[-1][1] + " " + line.strip()).strip())
        elif (
            len(line) > COLUMN
            and line[COLUMN - 1] == " "
            and (line[COLUMN - 2] == " " or not following.startswith(" " * COLUMN))
        ):
            rows.append((line[:COLUMN].strip(), line[COLUMN:].strip()))
        else:
            rows.append((line.strip(), ""))
    return rows


def _sections(text):
    """Heading -> its lines."""
    sections, heading = {"": []}, ""
    for line in text.splitlines():
        if re.match(r"[A-Z]\w+:$", line):
            heading = line[:-1].capitalize()
            sections[heading] = []
        elif line.strip():
            sections[heading].append(line)
        else:
            heading = ""
    return sections


def help_text(program, *command):
    return subprocess.run(
        [program] + list(command) + ["--help"], stdout=subprocess.PIPE, check=True
    ).stdout.decode()


def _refusals(program, command, option):
    """What the program says of a word that it does not know, in situations in which it may come to look at
    it."""
    line = [option.long_name() + "=no-such-word"] + ["no-such-file"] * len(command.positionals)
    for other in command.options:
        if other is not option and (other.required or other.names[0] in option.needs):
            line += [other.long_name(), "1"]
        elif other is not option and "--stats" in other.names:
            line += ["--stats", "sum"]
    for output in ([], ["--output", "no-such-folder/x.png"]):
        done = subprocess.run(
            [program] + command.name.split() + line + output, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        yield done.stderr.decode().strip()


def _words_of(program, command, option):
    """The words that the parser takes, as it says when it gets another; else the types that the explanation
    lists."""
    for said in _refusals(program, command, option):
        refused = re.search(r"no-such-word not in \{(.*?)\}", said)
        if refused:
            return refused.group(1).split(","), False
        refused = re.search(r"no-such-word' \(allowed: (all, or some of: )?([\w, ]+?)(?:, or .*)?\)$", said)
        if refused and option.type.startswith("WORD"):
            return (["all"] if refused.group(1) else []) + re.findall(
                r"\w+", refused.group(2)
            ), refused.group(1) is not None
    listed = re.search(r"of this type: ([\w ]+)", option.text)
    return listed.group(1).split() if listed else [], False


def read_command(program, path, sentence):
    """`path`: the words before --help, as ["reduce"]; [] of the program itself."""
    command = Command(" ".join(path), sentence)
    sections = _sections(help_text(program, *path))
    for left, text in _rows(sections.get("Positionals", [])):
        command.positionals.append(Option(left, text))
    command.options = [Option(left, text) for left, text in _rows(sections.get("Options", []))]
    for option in command.options:
        if re.match(r"WORD|TYPE", option.type):
            several = option.type.endswith(" ...")
            option.type = option.type.replace(" ...", "")
            option.words, option.is_list = _words_of(program, command, option)
            option.is_list = option.is_list or several
    command.example = "\n".join(line.strip() for line in sections.get("Example", []))
    return command


def has_own_options(program):
    """tegu-bench has them only where it was built with Google Benchmark."""
    return "Options" in _sections(help_text(program))


def read_program(program):
    """The program itself, then its commands as it lists them."""
    sections = _sections(help_text(program))
    commands = [read_command(program, [], sections[""][0])]
    for name, sentence in _rows(sections.get("Subcommands", [])):
        commands.append(read_command(program, [name], sentence))
    return commands

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the completion of tegu, tegud, tegu-bench and tegu-tune for bash and zsh, from what the programs say
of themselves with --help.
    write_completion.py BIN       BIN: the folder of the programs; what is not there keeps the files that it
                                  has
Commands, options and the words that an option takes are in the files, so that completing starts no
program."""

import os
import re
import sys

from cli_help import Command, Option, has_own_options, read_command, read_program

FOLDER = os.path.dirname(os.path.abspath(__file__))
MAN = os.path.join(FOLDER, "..", "..", "docs", "man")
HEAD = (
    "# SPDX-License-Identifier: Apache-2.0\n# Written by the target completion from what %s says "
    "with --help: change it there.\n"
)
FILES, FOLDERS = ("FILE", "PATH"), ("DIR",)

BASH = """# Completion of %(program)s for bash.

_%(function)s() {
    local current=$2 previous=$3 command=${COMP_WORDS[1]} words= files= kept=
    # --option=word is three words here.
    if [ "$current" = = ]; then current=; fi
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    [ "$COMP_CWORD" -eq 1 ] && command=
%(before)s    case $command in
    %(commands)s) ;;
    *) command= ;;
    esac
    case $command:$previous in
%(values)s    *)
        case $command in
%(options)s        esac
        # Without a dash: the files that a command takes, or else its options.
        if [ -z "$files" ]; then compopt +o default 2>/dev/null; elif [[ $current != -* ]]; then words=; fi
        ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}

complete -o default -F _%(function)s %(program)s
"""

# Of tegu, whose common options may stand before the command.
BEFORE = """    local i
    command=
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        %(values)s) [ "${COMP_WORDS[i + 1]}" = = ] && ((i++)); ((i++)) ;;
        -* | = | auto | always | never) ;;
        *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
"""
HELP_SENTENCE = "The options of a command, and an example"

ZSH = """#compdef %(program)s
%(head)s# Completion of %(program)s for zsh.

_%(function)s() {
    local curcontext="$curcontext" state line ret=1
    typeset -A opt_args
%(body)s    return ret
}

_%(function)s "$@"
"""


def bench_commands(program):
    """tegu-bench and its commands. Those that need a GPU, or Python, to say more than that there is none have
    their options in the manual page."""
    with open(os.path.join(MAN, "tegu-bench.1"), encoding="utf-8") as source:
        page = source.read().replace("\\-", "-")
    commands = read_program(program)
    commands.append(read_command(program, ["run"], "Measures this board and writes one file"))
    for name, heading in (("compare", "COMPARE"), ("gpu", "GPU"), ("ladder", "LADDER")):
        section = page.split("\n.SH %s\n" % heading)[1].split("\n.SH ")[0]
        command = Command(
            name,
            re.sub(r"\\f.", "", section.split("\n")[0]).split(", ")[0].replace("tegu-bench %s " % name, ""),
        )
        command.sentence = command.sentence[0].upper() + command.sentence[1:].rstrip(".")
        for names, text in re.findall(r"^\.TP\n\.BR? (.*)\n(.*)$", section, re.M):
            option = Option(",".join(re.findall(r"--?[a-z-]+", names)), text)
            if set(option.names) & {"--output", "--markdown", "--csv"}:
                option.type = "FILE"
            elif set(option.names) & {"--names", "--model", "--title", "--filter", "--elements"}:
                option.type = "TEXT"
            elif "--threads" in option.names:
                option.type, option.words = "N", re.findall(r"\d+", text.split(". ")[0])
            command.options.append(option)
        if name == "compare":
            command.positionals.append(Option("FILE", "a file of tegu-bench run"))
        commands.append(command)
    return commands


def names_of(options):
    return [name for option in options for name in option.names]


def value_of(option):
    """What stands for the value of an option in the case of bash: its lines."""
    if option.words and option.is_list:
        # Behind the last comma; what stands before it is kept.
        return (
            'kept=${current%%"${current##*,}"} words=" %s"\n        words=${words// / $kept}\n        ;;'
            % " ".join(option.words)
        )
    if option.words:
        return 'words="%s" ;;' % " ".join(option.words)
    if option.type in FOLDERS:
        return "compopt +o default -o dirnames 2>/dev/null ;;"
    if option.type in FILES or option.type == "TEXT" and "--tegud" in option.names:
        return ";; # a file, by -o default"
    return "compopt +o default 2>/dev/null ;; # anything"


def values(commands):
    """The branches of bash's case for words behind an option; an option that takes the same everywhere stands
    once."""
    found = {}
    for command in commands:
        for option in command.options:
            if option.type:
                for name in option.names:
                    found.setdefault(name, []).append((command.name, value_of(option)))
    branches = {}
    for name, uses in found.items():
        everywhere = len(set(lines for _, lines in uses)) == 1
        for command, lines in uses[:1] if everywhere else uses:
            branches.setdefault(lines, []).append("%s:%s" % ("*" if everywhere else command, name))
    text = ""
    for lines, patterns in branches.items():
        text += (
            "    %s) %s\n" % (" | ".join(patterns), lines)
            if "\n" not in lines
            else "    %s)\n        %s\n" % (" | ".join(patterns), lines)
        )
    return text


def bash(program, commands):
    top, others = commands[0], commands[1:]
    first = [option.long_name() for option in top.options] if others else names_of(top.options)
    names = [command.name for command in others]
    before = ""
    if program == "tegu":
        taking = [name for name in names_of(top.options) if name in ("--socket", "--timeout")]
        before = BEFORE % {"values": " | ".join(taking)}
        options = '        help) words="%s" ;;\n' % " ".join(names)
        names = names + ["help"]
    else:
        options = ""
    options += '        "") words="%s" ;;\n' % " ".join(names + first)
    for command in others:
        takes_files = "files=yes " if any(each.type != "N" for each in command.positionals) else ""
        options += '        %s) %swords="%s" ;;\n' % (
            command.name,
            takes_files,
            " ".join(names_of(command.options)),
        )
    return HEAD % program + BASH % {
        "program": program,
        "function": program.replace("-", "_"),
        "values": values(commands),
        "options": options,
        "before": before,
        "commands": " | ".join(names) or "none",
    }


def quoted(text):
    return text.replace("'", "'\\''")


def described(text):
    return quoted(re.sub(r"([\[\]:\\])", r"\\\1", text))


def zsh_option(option):
    text = described(re.sub(r" \[.*\]$", "", option.text))
    kind = described(option.type.split(":")[0])
    action = ""
    if option.words and option.is_list:
        action = " _values -s , %s %s" % (kind.split(",")[0], " ".join(option.words))
    elif option.words:
        action = "(%s)" % " ".join(option.words)
    elif option.type in FILES or "--tegud" in option.names:
        action = "_files"
    elif option.type in FOLDERS:
        action = "_path_files -/"
    value = ":%s:%s" % (kind, action) if option.type else ""
    spelt = [name + (("=" if name.startswith("--") else "+") if option.type else "") for name in option.names]
    others = "(%s)" % " ".join(
        ["- *"] if "--help" in option.names or "--version" in option.names else option.names + option.excludes
    )
    if len(spelt) == 1:
        return "'%s%s[%s]%s'" % (others, spelt[0], text, value)
    return "'%s'{%s}'[%s]%s'" % (others, ",".join(spelt), text, value)


def zsh_arguments(indent, command, more=()):
    specs = [zsh_option(option) for option in command.options]
    specs += [
        "'%d:%s:%s'" % (i + 1, described(positional.names[0]), "" if positional.type == "N" else "_files")
        for i, positional in enumerate(command.positionals)
    ]
    return (" \\\n" + indent + "    ").join(specs + list(more))


def zsh(program, commands):
    top, others = commands[0], commands[1:]
    if not others:
        body = "    _arguments -s \\\n        %s && ret=0\n" % zsh_arguments("    ", top)
    else:
        body = "    local -a commands=(\n"
        body += "".join(
            "        '%s:%s'\n" % (command.name, quoted(command.sentence.replace(":", "\\:")))
            for command in others
        )
        if program == "tegu":
            body += "        'help:%s'\n" % HELP_SENTENCE
        body += "    )\n    _arguments -C -A '-*' \\\n        %s && ret=0\n" % zsh_arguments(
            "    ", top, ["'1:command:->command'", "'*::argument:->argument'"]
        )
        body += (
            "    case $state in\n    command) _describe -t commands 'command' commands && ret=0 "
            ";;\n    argument)\n        case $line[1] in\n"
        )
        for command in others:
            body += (
                "        %s)\n            _arguments -s \\\n                %s && ret=0\n            ;;\n"
                % (command.name, zsh_arguments("            ", command))
            )
        if program == "tegu":
            body += "        help) _describe -t commands 'command' commands && ret=0 ;;\n"
        body += "        esac\n        ;;\n    esac\n"
    return ZSH % {
        "program": program,
        "function": program.replace("-", "_"),
        "head": HEAD % program,
        "body": body,
    }


def completions(bin_folder):
    """File name -> its content, of the programs that are there."""
    files = {}
    for program, read in (
        ("tegu", read_program),
        ("tegud", read_program),
        ("tegu-bench", bench_commands),
        ("tegu-tune", read_program),
    ):
        path = os.path.join(bin_folder, program)
        if os.path.exists(path) and has_own_options(path):
            commands = read(path)
            files[program + ".bash"] = bash(program, commands)
            files["_" + program] = zsh(program, commands)
    return files


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: write_completion.py BIN")
    for name, text in completions(sys.argv[1]).items():
        with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as target:
            target.write(text)


if __name__ == "__main__":
    main()

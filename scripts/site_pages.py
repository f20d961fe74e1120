# SPDX-License-Identifier: Apache-2.0
"""What the site has that docs/ has not: the reference of each language, made of its headers and docstrings. A
hook of MkDocs. It also turns links to files outside of docs/ into words."""

import os
import re

from mkdocs.structure.files import File

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = ("client", "request", "result", "buffer", "array", "expected", "node_tree")
# The names of a group of declarations: its functions, else its types, else its first constant.
NAMES_OF_C = (
    r"\b(tegu_\w+)\(",
    r"^(?:\} |typedef .* )(tegu_\w+);",
    r"^(?:enum \{|)\s*(?:#define )?(TEGU_\w+)\b.*",
)
LINK_OUTSIDE = re.compile(r"\[([^\]]+)\]\(((?:\.\./)+[\w./-]+)(?:#[\w-]+)?\)")
LIST_ITEM = re.compile(r"(?:- |\* |\d+\. )")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def section(name, prose, code, language):
    return "### %s\n\n%s\n\n```%s\n%s\n```\n" % (name, prose, language, code.rstrip())


def prose_of(comment):
    """The text of a comment, as Markdown: stars and < of the comment are no markup."""
    lines = [re.sub(r"^\s*(/\*|\*/|\*|//)? ?", "", line).replace("*/", "").rstrip() for line in comment]
    return re.sub(r"([*_<])", r"\\\1", "\n".join(lines)).strip()


def blocks(lines, is_comment):
    """(comment, code) of each group of declarations with the comment above it."""
    comment, code = [], []
    for line in lines + [""]:
        if is_comment(line, bool(comment) and not code):
            if code:
                yield comment, code
                comment, code = [], []
            comment.append(line)
        elif line.strip():
            code.append(line)
        elif code:
            yield comment, code
            comment, code = [], []


def c_page():
    """A section for each group of declarations of tegu.h, named after its functions, else its types."""
    opening, declarations = read("client", "tegu.h").split("#ifndef TEGU_H", 1)
    body = declarations.split('extern "C" {\n#endif\n', 1)[1].rsplit("#ifdef __cplusplus", 1)[0]
    inside = [False]

    def is_comment(line, _):
        starts = line.startswith("/*")
        within, inside[0] = inside[0] or starts, (inside[0] or starts) and "*/" not in line
        return within

    text = "# C\n\nThe interface of `tegu.h`. [Clients](../clients.md#c) has an example.\n\n"
    text += prose_of(opening.split("\n", 1)[1].splitlines()) + "\n\n## Declarations\n\n"
    for comment, code in blocks(body.splitlines(), is_comment):
        whole = "\n".join(code).replace("TEGU_API ", "")
        if whole.startswith(("#if", "#else")):
            continue
        names = next(filter(None, (re.findall(kind, whole, re.M) for kind in NAMES_OF_C)))
        if names[0].isupper():
            names = names[:1] + ["..."] * (len(names) > 1)
        title = ", ".join("`%s`" % name for name in dict.fromkeys(names))
        text += section(title, prose_of(comment), whole, "c") + "\n"
    return text


def without_bodies(code):
    """The declarations of a class: what is private is left out, and so are the bodies of functions."""
    found, depth, skip = [], None, False
    for line in code:
        indent = len(line) - len(line.lstrip())
        if depth is not None:
            depth = None if line.startswith(" " * depth + "}") and indent == depth else depth
            continue
        if re.match(r"  (private|public|protected):", line):
            skip = "private" in line
        if skip and not line.startswith("}"):
            continue
        opens = re.match(r"( {4}\S.*\)[^;]*?) ?\{$", line)
        if opens and not re.match(r" *(struct|class|enum|union)\b", line):
            line, depth = opens.group(1) + ";", indent
        found.append(re.sub(r"(\)[^;{]*?) \{ .*\}$", r"\1;", line))
    return "\n".join(found)


def cpp_page():
    """A section for each class of tegu.hpp's headers."""
    text = "# C++\n\nThe header `tegu.hpp`. [Clients](../clients.md#c_1) has an example.\n\n"
    for stem in HEADERS:
        body = (
            read("client", "tegu", stem + ".hpp")
            .split("namespace client {", 1)[1]
            .split("}  // namespace")[0]
        )
        text += "## `tegu/%s.hpp`\n\n" % stem
        groups = re.split(r"\n\n(?=\S)", body.strip())
        for group in groups:
            lines = group.splitlines()
            comment = [line for line in lines if line.startswith("//")]
            code = [line for line in lines if not line.startswith("//")]
            name = re.search(r"^(?:class|struct)(?: \[\[nodiscard\]\])? (\w+)|(\w+)\(", "\n".join(code), re.M)
            if name and name.group(2) != "static_assert":
                title = "`%s`" % (name.group(1) or name.group(2))
                text += section(title, prose_of(comment), without_bodies(code), "c++") + "\n"
    return text


def python_page():
    """Client and what belongs to it by mkdocstrings; its jobs, which are made of _operations, one by one."""
    operations = re.findall(r"def (\w+)\(self, x?", read("client", "python", "tegu", "_calls.pyi"))
    jobs = [
        name
        for name in dict.fromkeys(operations)
        if os.path.exists(os.path.join(ROOT, "client", "python", "tegu", "_operations", name + ".py"))
    ]
    names = re.findall(r'^    "([A-Z]\w+)",$', read("client", "python", "tegu", "__init__.py"), re.M)
    text = "# Python\n\nThe package `tegu`. [Clients](../clients.md#python) has examples.\n\n"
    text += "::: tegu._client.connect\n\n## Jobs\n\n"
    text += "Methods of a client; `c.submit` has the same, which return futures.\n\n"
    text += "".join("::: tegu._operations.%s.%s\n\n" % (name, name) for name in jobs)
    return text + "## Classes\n\n" + "".join("::: tegu.%s\n\n" % name for name in names)


def on_files(files, config):
    for stem, page in (("python", python_page), ("c", c_page), ("cpp", cpp_page)):
        files.append(File.generated(config, "reference/%s.md" % stem, content=page()))
    return files


def with_wide_lists(lines):
    """Lists as Python-Markdown needs them: an empty line before the first item, and four columns for each
    level, where Markdown takes the width of the mark."""
    found, fenced, before = [], False, ""
    levels = []  # (column of the content here, column there) of each list item that is open
    for line in lines:
        indent, text = len(line) - len(line.lstrip()), line.lstrip()
        item = None if fenced else LIST_ITEM.match(text)
        if text and (
            item or not before or text.startswith("```")
        ):  # else it goes on with a paragraph, wherever it stands
            while levels and indent < levels[-1][0]:
                levels.pop()
        here, there = levels[-1] if levels else (0, 0)
        item = item if indent - here < 4 else None  # else it is code
        if (
            item
            and before
            and not LIST_ITEM.match(before.lstrip())
            and here == 0
            and not before.startswith(" ")
        ):
            found.append("")
        found.append(" " * (there - here) + line if text and indent >= here else line)
        if item:
            levels.append((indent + item.end(), there + 4))
        fenced ^= text.startswith("```")
        before = text and line
    return found


def on_page_markdown(markdown, page, config, files):
    """Links that leave docs/ become words."""
    folder = os.path.dirname(os.path.join(config.docs_dir, page.file.src_uri))

    def words(found):
        target = os.path.normpath(os.path.join(folder, found.group(2)))
        if target.startswith(config.docs_dir + os.sep):
            return found.group(0)
        if not os.path.exists(target):
            raise SystemExit("%s links %s, which is not there" % (page.file.src_uri, found.group(2)))
        return found.group(1)

    return "\n".join(LINK_OUTSIDE.sub(words, line) for line in with_wide_lists(markdown.splitlines()))


def on_page_content(html, page, config, files):
    """In tables a bar in code is written with a backslash, which Python-Markdown shows."""
    return re.sub(r"<td.*?</td>", lambda cell: cell.group(0).replace("\\|", "|"), html, flags=re.S)

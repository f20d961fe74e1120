# SPDX-License-Identifier: Apache-2.0
"""A figure of matplotlib as SVG for a page: text stays text, colours become CSS variables, ids are unique on
the page, and what no reader needs is left out."""

import io
import re
import xml.etree.ElementTree as ElementTree

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG

from . import palette

_SVG, _LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)px")
_BOLD = re.compile(r"\b(bold|700|600)\b")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"


def _short(text):
    """Two decimals are a hundredth of a pixel."""
    return _LONG_NUMBER.sub(lambda found: ("%.2f" % float(found.group())).rstrip("0").rstrip("."), text)


def _style(text, variables):
    """Declarations without the font's family, which the page sets, and without what is the default."""
    kept = []
    for declaration in filter(None, (part.strip() for part in text.split(";"))):
        name, value = (part.strip() for part in declaration.split(":", 1))
        if name == "font":
            kept.append("font-size:%spx" % _SIZE.search(value).group(1))
            if _BOLD.search(value.split("px")[0]):
                kept.append("font-weight:600")
        elif name not in (
            "font-family",
            "font-style",
            "font-variant",
            "font-stretch",
            "stroke-linecap",
            "stroke-linejoin",
            "stroke-miterlimit",
        ) and (name, value) not in (("font-weight", "normal"), ("font-weight", "400")):
            kept.append("%s:%s" % (name, variables.get(value.lower(), value)))
    return ";".join(kept)


def _clean(root, prefix, variables):
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in ("{%s}metadata" % _SVG, "{%s}style" % _SVG) or (
                child.tag == "{%s}defs" % _SVG and all(one.tag == "{%s}style" % _SVG for one in child)
            ):
                parent.remove(child)
    for element in root.iter():
        attributes = element.attrib
        link = attributes.pop("{%s}href" % _LINK, None)
        if link is not None:
            attributes["href"] = "#" + prefix + link[1:]
        for name, value in list(attributes.items()):
            if name == "id":
                attributes[name] = prefix + value
            elif name == "style":
                attributes[name] = _style(value, variables)
            elif name == "clip-path":
                attributes[name] = value.replace("url(#", "url(#" + prefix)
            elif name == "transform":
                value = re.sub(r"rotate\(-?0(\.0)? [^)]*\)", "", value).strip()
                attributes[name] = _short(value)
                if not value:
                    del attributes[name]
            elif name in ("d", "x", "y", "width", "height", "points"):
                attributes[name] = _short(" ".join(value.split()))
    _drop_unused_ids(root)
    _shorten_ids(root, prefix)
    _fold(root)


_GROUP, _USE, _PATH = ("{%s}%s" % (_SVG, name) for name in ("g", "use", "path"))


def _fold(element):
    """Without what draws nothing: paths without paint, groups that say nothing; and with the style of marks
    once, at their group."""
    children = []
    for child in list(element):
        _fold(child)
        if child.tag == _PATH and child.attrib.get("style") == "fill:none":
            continue
        children += list(child) if child.tag == _GROUP and not child.attrib else [child]
    element[:] = children
    styles = {child.attrib.get("style") for child in children if child.tag == _USE}
    alone = element.tag == _GROUP and "style" not in element.attrib
    if alone and len(styles) == 1 and None not in styles and all(child.tag == _USE for child in children):
        element.attrib["style"] = styles.pop()
        for child in children:
            del child.attrib["style"]


def _shorten_ids(root, prefix):
    """Ids by their number in the picture, in place of hashes."""
    named = [element for element in root.iter() if "id" in element.attrib]
    short = {element.attrib["id"]: "%s%d" % (prefix or "i", number) for number, element in enumerate(named)}
    for element in root.iter():
        attributes = element.attrib
        if "id" in attributes:
            attributes["id"] = short[attributes["id"]]
        if "href" in attributes:
            attributes["href"] = "#" + short[attributes["href"][1:]]
        if "clip-path" in attributes:
            attributes["clip-path"] = "url(#%s)" % short[attributes["clip-path"][5:-1]]


def _drop_unused_ids(root):
    used = {element.attrib["href"][1:] for element in root.iter() if "href" in element.attrib}
    used |= {
        value[5:-1]
        for element in root.iter()
        for name, value in element.attrib.items()
        if name == "clip-path"
    }
    for element in root.iter():
        if element.attrib.get("id") not in used:
            element.attrib.pop("id", None)


def _written(figure):
    settings = {"svg.fonttype": "none", "svg.hashsalt": "tegu", "text.usetex": False, "path.simplify": True}
    known = {name: value for name, value in settings.items() if name in matplotlib.rcParams}
    with matplotlib.rc_context(known):
        out = io.BytesIO()
        FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None})
    return out.getvalue()


def inline(figure, words, prefix, classes="plot"):
    """For within a page. words: read in place of it. prefix: makes its ids unique."""
    ElementTree.register_namespace("", _SVG)
    root = ElementTree.fromstring(_written(figure))
    _clean(root, prefix, palette.variables())
    width, height = (float(root.attrib[name].replace("pt", "")) for name in ("width", "height"))
    root.attrib.clear()
    root.attrib.update(
        {
            "class": classes,
            "viewBox": "0 0 %g %g" % (width, height),
            "width": "%g" % width,
            "height": "%g" % height,
            "role": "img",
            "aria-label": words,
        }
    )
    return ElementTree.tostring(root, encoding="unicode").replace("\n", "").replace("> <", "><")


def alone(figure, words, comment=""):
    """As a file of its own, with background; light or dark as the reader's screen."""
    text = inline(figure, words, "", "plot")
    styles = "<style>%s svg{font-family:%s;background:var(--paper)}.plot *{stroke-linejoin:round}</style>" % (
        palette.css().replace("\n", ""),
        FONT,
    )
    head, body = text.split(">", 1)
    note = "<!-- %s -->\n" % comment if comment else ""
    return (
        note
        + head.replace("<svg", '<svg xmlns="%s"' % _SVG if "xmlns" not in head else "<svg")
        + ">"
        + styles
        + body
        + "\n"
    )

# SPDX-License-Identifier: Apache-2.0
"""The bytes and the JSON of a partial: a header of plain values and sections of bytes, with a checksum."""

import base64
import json
import struct
import zlib
from typing import Any, Dict, List, Tuple

from .. import _errors

VERSION = 1
_MAGIC = b"TEGUPART"
_START = struct.Struct("<8sHHII")  # magic, version, reserved, bytes of the header, checksum of the rest
_MAX_HEADER = 1 << 24
Content = Tuple[Dict[str, Any], List[bytes]]


def refused(field: str, message: str, allowed: str = "") -> _errors.Error:
    return _errors.make("BAD_REQUEST", message, field, allowed)


def _check_version(version: Any) -> None:
    if version != VERSION:
        raise refused("version", "the partial has version %r" % (version,), "version %d" % VERSION)


def to_bytes(header: Dict[str, Any], sections: List[bytes]) -> bytes:
    named = dict(header, sections=[len(section) for section in sections])
    text = json.dumps(named, sort_keys=True, separators=(",", ":")).encode()
    rest = text + b"".join(sections)
    return _START.pack(_MAGIC, VERSION, 0, len(text), zlib.crc32(rest) & 0xFFFFFFFF) + rest


def from_bytes(data: Any) -> Content:
    try:
        taken = bytes(memoryview(data))
    except TypeError:
        raise _errors.wrong_type("BAD_REQUEST", "a partial of %s" % type(data).__name__, "bytes", "bytes")
    if len(taken) < _START.size or taken[:8] != _MAGIC:
        raise refused("bytes", "these bytes are no partial", "bytes of Partial.to_bytes()")
    _, version, reserved, size, checksum = _START.unpack_from(taken)
    _check_version(version)
    rest = taken[_START.size :]
    if reserved != 0 or size > min(len(rest), _MAX_HEADER):
        raise refused("bytes", "the bytes of the partial are cut or damaged")
    if zlib.crc32(rest) & 0xFFFFFFFF != checksum:
        raise refused("checksum", "the bytes of the partial are cut or damaged")
    header = _parsed(rest[:size])
    sections = []
    at = size
    for length in _lengths(header):
        sections.append(rest[at : at + length])
        at += length
    if at != len(rest):
        raise refused("sections", "the sections of the partial do not fill its bytes")
    return header, sections


def to_json(header: Dict[str, Any], sections: List[bytes]) -> str:
    checksum = zlib.crc32(to_bytes(header, sections)) & 0xFFFFFFFF
    encoded = [base64.b64encode(section).decode() for section in sections]
    return json.dumps(
        dict(header, format="tegu partial", version=VERSION, checksum=checksum, sections=encoded),
        sort_keys=True,
    )


def from_json(text: Any) -> Content:
    header = _parsed(text)
    if header.pop("format", None) != "tegu partial":
        raise refused("format", "this JSON is no partial", "the text of Partial.to_json()")
    _check_version(header.pop("version", None))
    checksum, encoded = header.pop("checksum", None), header.pop("sections", None)
    try:
        sections = [base64.b64decode(section, validate=True) for section in encoded]
    except (TypeError, ValueError):
        raise refused("sections", "the sections of the partial are not base64")
    if zlib.crc32(to_bytes(header, sections)) & 0xFFFFFFFF != checksum:
        raise refused("checksum", "the JSON of the partial is damaged")
    return header, sections


def whole_of(text: Any) -> int:
    """The number of decimal digits as packed; ValueError for any other text."""
    if not isinstance(text, str) or len(text) > 80 or str(int(text)) != text:
        raise ValueError("a sum is %.90r" % (text,))
    return int(text)


def _parsed(text: Any) -> Dict[str, Any]:
    try:
        header = json.loads(text if isinstance(text, str) else bytes(memoryview(text)).decode())
    except (TypeError, ValueError, RecursionError):
        raise refused("header", "the header of the partial is no JSON")
    if not isinstance(header, dict):
        raise refused("header", "the header of the partial is no JSON object")
    return header


def _lengths(header: Dict[str, Any]) -> List[int]:
    lengths = header.pop("sections", None)
    if not isinstance(lengths, list) or any(type(each) is not int or each < 0 for each in lengths):
        raise refused("sections", "the lengths of the sections are not whole numbers")
    return lengths


def records(section: bytes, form: str, name: str) -> List[Tuple[Any, ...]]:
    """The records of a section, each packed as `form`."""
    packed = struct.Struct("<" + form)
    if len(section) % packed.size:
        raise refused(name, "%d bytes are no whole records of %d" % (len(section), packed.size))
    return list(packed.iter_unpack(section))


def packed(rows: Any, form: str) -> bytes:
    one = struct.Struct("<" + form)
    return b"".join(one.pack(*row) for row in rows)

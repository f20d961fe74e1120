# SPDX-License-Identifier: Apache-2.0
"""Writes and reads the small files of the tests, from the format's own documents and with nothing but the
standard library: an oracle that shares no code with the command."""

import ast
import io
import struct
import zipfile
import zlib


def npy(descr, shape, data, fortran=False, version=1):
    """The bytes of a .npy. `descr` as NumPy writes it, e.g. "<f4"; `data` the bytes of the elements."""
    header = repr({"descr": descr, "fortran_order": fortran, "shape": tuple(shape)}).encode()
    header += b" " * (63 - (len(header) + (10 if version == 1 else 12)) % 64) + b"\n"
    return (
        b"\x93NUMPY"
        + bytes([version, 0])
        + struct.pack("<H" if version == 1 else "<I", len(header))
        + header
        + data
    )


def read_npy(content):
    """(descr, shape, bytes of the elements) of a version 1 .npy."""
    assert content[:8] == b"\x93NUMPY\x01\0", content[:8]
    size = struct.unpack("<H", content[8:10])[0]
    assert (10 + size) % 64 == 0
    header = ast.literal_eval(content[10 : 10 + size].decode())
    assert header["fortran_order"] is False
    return header["descr"], header["shape"], content[10 + size :]


def pgm(width, height, data, maximum=255):
    return b"P5\n%d %d\n%d\n" % (width, height, maximum) + data


def chunk(kind, data):
    return (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data) & 0xFFFFFFFF)
    )


def npz(members, method=zipfile.ZIP_STORED):
    """The bytes of a .npz. `members`: name without .npy -> bytes of a .npy."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", method) as target:
        for name, content in members.items():
            target.writestr(zipfile.ZipInfo(name + ".npy"), content, method)
    return archive.getvalue()


def tif(width, height, data, bits=8, samples=1, kind=1, photometric=1, order="<", **options):
    """The bytes of a .tif. `kind`: 1 unsigned, 2 signed, 3 float; `data` in the byte order. Options:
    rows_per_strip; tile=(width, height), with data of whole tiles, row by row; deflate=True; claims, tag ->
    value that is written instead of what is true."""
    rows = options.get("rows_per_strip", height)
    tile = options.get("tile")
    size = tile[0] * tile[1] if tile else width * rows
    size *= bits // 8 * samples
    blocks = [data[at : at + size] for at in range(0, len(data), size)] or [b""]
    if options.get("deflate"):
        blocks = [zlib.compress(block) for block in blocks]
    values = {
        256: (width,),
        257: (height,),
        258: (bits,) * samples,
        259: (8 if options.get("deflate") else 1,),
        262: (photometric,),
        277: (samples,),
        284: (1,),
        339: (kind,) * samples,
        324 if tile else 273: (0,) * len(blocks),
        325 if tile else 279: tuple(len(block) for block in blocks),
    }
    values.update({322: (tile[0],), 323: (tile[1],)} if tile else {278: (rows,)})
    for tag, value in options.get("claims", {}).items():
        values[tag] = (value,)
    shorts = (258, 259, 262, 277, 284, 339)
    at = 8 + 2 + 12 * len(values) + 4
    places = {}
    for tag, value in sorted(values.items()):
        length = len(value) * (2 if tag in shorts else 4)
        if length > 4:
            places[tag] = at
            at += length
    offsets = []
    for block in blocks:
        offsets.append(at)
        at += len(block)
    values[324 if tile else 273] = tuple(offsets)
    entries, rest = b"", b""
    for tag, value in sorted(values.items()):
        code = "H" if tag in shorts else "I"
        packed = struct.pack("%s%d%s" % (order, len(value), code), *value)
        entries += struct.pack(order + "HHI", tag, 3 if tag in shorts else 4, len(value))
        if tag in places:
            entries += struct.pack(order + "I", places[tag])
            rest += packed
        else:
            entries += packed.ljust(4, b"\0")
    head = struct.pack(order + "2sHI", b"II" if order == "<" else b"MM", 42, 8)
    return head + struct.pack(order + "H", len(values)) + entries + b"\0" * 4 + rest + b"".join(blocks)


CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def png(width, height, depth, colour, data, palette=None, transparency=None, interlaced=False):
    """The bytes of a .png. `data`: rows of packed samples, most significant byte first, without filter bytes.
    Interlacing needs whole bytes per pixel."""
    bits = depth * CHANNELS[colour]
    row = (width * bits + 7) // 8
    lines = []
    if interlaced:
        size = bits // 8
        for x0, y0, dx, dy in ADAM7:
            for y in range(y0, height, dy):
                line = b"".join(
                    data[y * row + x * size : y * row + (x + 1) * size] for x in range(x0, width, dx)
                )
                if line:
                    lines.append(line)
    else:
        lines = [data[i : i + row] for i in range(0, len(data), row)]
    content = b"\x89PNG\r\n\x1a\n"
    content += chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 1 if interlaced else 0)
    )
    if palette is not None:
        content += chunk(b"PLTE", palette)
    if transparency is not None:
        content += chunk(b"tRNS", transparency)
    content += chunk(b"IDAT", zlib.compress(b"".join(b"\0" + line for line in lines), 9))
    return content + chunk(b"IEND", b"")


def unfilter(kind, line, above, size):
    """One row of PNG's filters 0 to 4."""
    line = bytearray(line)
    for i in range(len(line)):
        left = line[i - size] if i >= size else 0
        up = above[i]
        corner = above[i - size] if i >= size else 0
        guess = left + up - corner
        paeth = min((left, up, corner), key=lambda near: abs(guess - near))
        line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
    return bytes(line)


def read_png(content):
    """(width, height, depth, colour, bytes of the pixels, {keyword: text}) of a .png that is not
    interlaced."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, texts, head = 8, b"", {}, None
    while at < len(content):
        size, kind = struct.unpack(">I4s", content[at : at + 8])
        data = content[at + 8 : at + 8 + size]
        assert (
            struct.unpack(">I", content[at + 8 + size : at + 12 + size])[0]
            == zlib.crc32(kind + data) & 0xFFFFFFFF
        )
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", data)
        elif kind == b"IDAT":
            packed += data
        elif kind == b"tEXt":
            key, _, text = data.partition(b"\0")
            texts[key.decode()] = text.decode()
        at += 12 + size
    width, height, depth, colour = head[:4]
    assert head[4:] == (0, 0, 0)
    pixel = max(1, depth * CHANNELS[colour] // 8)
    row = (width * depth * CHANNELS[colour] + 7) // 8
    raw, pixels, above = zlib.decompress(packed), b"", bytes(row)
    for y in range(height):
        line = raw[y * (row + 1) : (y + 1) * (row + 1)]
        above = unfilter(line[0], line[1:], above, pixel)
        pixels += above
    return width, height, depth, colour, pixels, texts

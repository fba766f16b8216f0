#!/usr/bin/env python3
"""Writes the import library that programs for Windows are linked with: COFF, x86-64, by name.

    import_library.py SYMBOLS DLL OUT       SYMBOLS: one name a line, '#' begins a comment

The exporter links compiled models for Windows against it on any machine. The same input gives the
same bytes. The format is Microsoft's "PE Format", sections 7 (archives) and 8 (import libraries).
"""

import struct
import sys
from pathlib import Path
from typing import List, Tuple

_MACHINE = 0x8664  # x86-64
_RELATIVE = 3  # relocation IMAGE_REL_AMD64_ADDR32NB
_DATA = 0xC0000040  # section: initialised data, read and write
_EXTERNAL, _STATIC, _SECTION = 2, 3, 0x68  # storage classes


def _object(sections, symbols) -> bytes:
    """A COFF object. `sections`: (name, content, relocations, alignment flag); a relocation is
    (offset, symbol index). `symbols`: (name, section number, storage class)."""
    at = 20 + 40 * len(sections)
    headers, bodies = b"", b""
    for name, content, relocations, alignment in sections:
        after = at + len(content)
        headers += struct.pack("<8sIIIIIIHHI", name, 0, 0, len(content), at,
                               after if relocations else 0, 0, len(relocations), 0,
                               _DATA | alignment)
        body = content + b"".join(struct.pack("<IIH", offset, symbol, _RELATIVE)
                                  for offset, symbol in relocations)
        bodies += body
        at += len(body)
    table, strings = b"", b""
    for name, section, storage in symbols:
        if len(name) <= 8:
            field = name.ljust(8, b"\0")
        else:
            field = struct.pack("<II", 0, 4 + len(strings))
            strings += name + b"\0"
        table += struct.pack("<8sIhHBB", field, 0, section, 0, storage, 0)
    head = struct.pack("<HHIIIHH", _MACHINE, len(sections), 0, at, len(symbols), 0, 0)
    return head + headers + bodies + table + struct.pack("<I", 4 + len(strings)) + strings


def _members(names: List[str], dll: str) -> List[Tuple[List[str], bytes]]:
    """Every object of the archive, with the symbols that it defines."""
    stem = dll.rpartition(".")[0]
    descriptor, null = f"__IMPORT_DESCRIPTOR_{stem}", "__NULL_IMPORT_DESCRIPTOR"
    thunk = f"\x7f{stem}_NULL_THUNK_DATA"
    dll_name = dll.encode() + b"\0" + b"\0" * (len(dll) % 2 == 0)
    four, two, eight = 0x00300000, 0x00200000, 0x00400000
    made = [
        ([descriptor], _object(
            [(b".idata$2", bytes(20), [(12, 2), (0, 3), (16, 4)], four),
             (b".idata$6", dll_name, [], two)],
            [(descriptor.encode(), 1, _EXTERNAL), (b".idata$2", 1, _SECTION),
             (b".idata$6", 2, _STATIC), (b".idata$4", 0, _SECTION), (b".idata$5", 0, _SECTION),
             (null.encode(), 0, _EXTERNAL), (thunk.encode(), 0, _EXTERNAL)])),
        ([null], _object([(b".idata$3", bytes(20), [], four)], [(null.encode(), 1, _EXTERNAL)])),
        ([thunk], _object([(b".idata$5", bytes(8), [], eight), (b".idata$4", bytes(8), [], eight)],
                          [(thunk.encode(), 1, _EXTERNAL)])),
    ]
    for name in names:
        text = name.encode() + b"\0" + dll.encode() + b"\0"
        # A function, imported by its name.
        made.append(([name, f"__imp_{name}"],
                     struct.pack("<HHHHIIHH", 0, 0xFFFF, 0, _MACHINE, 0, len(text), 0, 1 << 2) + text))
    return made


def _member(name: str, content: bytes) -> bytes:
    header = f"{name:<16}{0:<12}{0:<6}{0:<6}{0:<8}{len(content):<10}`\n".encode()
    return header + content + b"\n" * (len(content) % 2)


def import_library(names: List[str], dll: str) -> bytes:
    """The archive. `names`: what the library exports, without repetition."""
    if not names or len(set(names)) != len(names):
        raise ValueError("the names of an import library have to be there, each once")
    members = _members(sorted(names), dll)
    symbols = [(symbol, index) for index, (defined, _) in enumerate(members) for symbol in defined]
    text = b"".join(symbol.encode() + b"\0" for symbol, _ in symbols)
    by_name = sorted(symbols)
    sorted_text = b"".join(symbol.encode() + b"\0" for symbol, _ in by_name)
    first_size = 4 + 4 * len(symbols) + len(text)
    second_size = 8 + 4 * len(members) + 2 * len(symbols) + len(sorted_text)
    long_names = _member("//", dll.encode() + b"\0")
    at = 8 + sum(60 + size + size % 2 for size in (first_size, second_size)) + len(long_names)
    offsets, body = [], b""
    for _, content in members:
        offsets.append(at + len(body))
        body += _member("/0", content)
    first = (struct.pack(">I", len(symbols)) +
             b"".join(struct.pack(">I", offsets[index]) for _, index in symbols) + text)
    second = (struct.pack("<I", len(members)) + b"".join(struct.pack("<I", one) for one in offsets) +
              struct.pack("<I", len(symbols)) +
              b"".join(struct.pack("<H", index + 1) for _, index in by_name) + sorted_text)
    return b"!<arch>\n" + _member("/", first) + _member("/", second) + long_names + body


def main(arguments: List[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines()
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    Path(arguments[2]).write_bytes(import_library(names, arguments[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

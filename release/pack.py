"""Writes a folder as a wheel: RECORD last, the same bytes for the same files."""

import base64
import hashlib
import os
import stat
import time
import zipfile
from pathlib import Path

# The earliest time that a zip file can hold; SOURCE_DATE_EPOCH replaces it.
_EARLIEST = 315532800


def _timestamp():
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH", _EARLIEST))
    return time.gmtime(max(epoch, _EARLIEST))[:6]


def _info(name, mode, timestamp):
    info = zipfile.ZipInfo(name, timestamp)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, whose modes these are
    info.external_attr = (stat.S_IFREG | mode) << 16
    return info


def _digest(content):
    digest = hashlib.sha256(content).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def pack(tree: Path, wheel: Path, level: int = 9) -> None:
    """`tree` is what the wheel holds, one .dist-info in it; its RECORD is made anew. Members are in
    the order of their names, and .dist-info is last, as readers of wheels expect it. `level` is zlib's."""
    folders = [entry for entry in tree.iterdir() if entry.name.endswith(".dist-info")]
    if len(folders) != 1:
        raise ValueError(f"{tree} has {len(folders)} .dist-info folders")
    info = folders[0].name
    record_name = f"{info}/RECORD"
    files = sorted(path for path in tree.rglob("*") if not path.is_dir())
    links = [path for path in files if path.is_symlink()]
    if links:
        raise ValueError(f"{links[0]} is a symbolic link, which a wheel cannot hold")
    names = [path.relative_to(tree).as_posix() for path in files]
    ordered = sorted(zip(names, files), key=lambda one: (one[0].startswith(info + "/"), one[0]))
    timestamp = _timestamp()
    record = []
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, path in ordered:
            if name == record_name:
                continue
            content = path.read_bytes()
            program = path.stat().st_mode & stat.S_IXUSR
            archive.writestr(_info(name, 0o755 if program else 0o644, timestamp), content,
                             compresslevel=level)
            record.append(f"{_quoted(name)},{_digest(content)},{len(content)}")
        record.append(f"{record_name},,")
        archive.writestr(_info(record_name, 0o644, timestamp), "\n".join(record) + "\n",
                         compresslevel=level)


def _quoted(name):
    return '"' + name.replace('"', '""') + '"' if set(name) & set(',"\n') else name


def unpack(wheel: Path, tree: Path) -> None:
    """The files of `wheel`, with their modes."""
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            path = Path(archive.extract(info, tree))
            mode = info.external_attr >> 16
            if mode and path.is_file():
                path.chmod(stat.S_IMODE(mode))

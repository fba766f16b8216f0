"""Version and requirements of a wheel, from its row: what scikit-build-core asks for."""

from pathlib import Path

import rows

ROOT = Path(__file__).resolve().parent.parent


def version(row: rows.Row) -> str:
    """The release of ExecuTorch whose interface it has, and the row: 1.5.1+cu130."""
    release = (ROOT / "runtime/version.txt").read_text(encoding="utf-8").strip()
    return f"{release}+{row.label}"


def dynamic_metadata(field, settings=None):
    """A provider of scikit-build-core."""
    row = rows.Table().read(rows.requested())
    if field == "version":
        return version(row)
    if field == "dependencies":
        return [row.train.requirement] if row.train else []
    raise ValueError(f"{field} does not follow from the row")

"""Refuses to run among files of another ``executorch`` distribution.

pip replaces one distribution of this name by another as a whole. What lays files over each other
(``--ignore-installed``, ``--target`` into a folder in use, an unpacked archive) leaves libraries of
both under the same names, and a process would load some of each.
"""

from pathlib import Path

# What the exporter's distribution has and this one has not.
_EXPORTER = "exir/__init__.py"


def check(package: Path) -> None:
    """Raises ImportError when ``package``, the folder ``executorch``, is not this one's alone."""
    others = sorted(path.name for path in package.parent.glob("executorch-*.dist-info"))
    if len(others) > 1:
        found = " and ".join(others)
    elif (package / _EXPORTER).exists():
        found = f"executorch/{_EXPORTER}, which the runtime's distribution does not have"
    else:
        return
    raise ImportError(
        f"Files of two executorch distributions lie in {package.parent}: {found}. Uninstall "
        "executorch until nothing of it is left, then install the one that is wanted."
    )


check(Path(__file__).resolve().parents[2])

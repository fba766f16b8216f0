"""The committed stub is what the extension says of itself."""

import subprocess
import sys
from pathlib import Path

from executorch.extension.pybindings import _C


def test_the_stub_is_that_of_the_extension(tmp_path):
    fresh = tmp_path / "_C.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-P", "-m", _C.__name__, "-o", str(fresh)],
        check=True,
    )
    committed = Path(_C.__file__).parent / "_C.pyi"
    assert committed.read_text() == fresh.read_text(), (
        "python/executorch/extension/pybindings/_C.pyi is not that of the extension: write it with "
        f"python -m nanobind.stubgen -P -m {_C.__name__}"
    )

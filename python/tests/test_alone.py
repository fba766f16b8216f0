"""Files of another executorch distribution among ours."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import executorch.runtime
import pytest

PACKAGE = Path(executorch.runtime.__file__).resolve().parents[1]


@pytest.fixture(name="site")
def copied_package(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "executorch")
    (tmp_path / "executorch-1.5.1+cpu.dist-info").mkdir()
    return tmp_path


def imported(site):
    return subprocess.run(
        [sys.executable, "-c", "import executorch.runtime"],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )


def test_a_package_alone_is_imported(site):
    (site / "executorch_examples-1.0.dist-info").mkdir()
    done = imported(site)
    assert done.returncode == 0, done.stderr


def test_two_distributions_in_one_folder_are_refused(site):
    (site / "executorch-1.5.1.dist-info").mkdir()
    done = imported(site)
    assert done.returncode != 0
    assert "executorch-1.5.1+cpu.dist-info and executorch-1.5.1.dist-info" in done.stderr
    assert "ImportError: Files of two executorch distributions" in done.stderr


def test_the_exporter_under_the_runtime_is_refused(site):
    (site / "executorch/exir").mkdir()
    assert imported(site).returncode == 0
    (site / "executorch/exir/__init__.py").touch()
    done = imported(site)
    assert done.returncode != 0
    assert "executorch/exir/__init__.py" in done.stderr

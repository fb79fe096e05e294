"""Compare what the built wheel holds with what git tracks: `python .ci/wheel_files.py FOLDER`.

A folder that the packaging list forgot, or a stray file that it swept up, fails here and not at a user's.
"""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

# source folder in the checkout -> folder in the wheel
SHIPPED = {
    "memhtml_tui/": "memhtml_tui/",
    "core/memhtml_core/": "memhtml_core/",
    "styles/": "memhtml_tui/styles/",
}


def tracked() -> set[str]:
    """Paths inside the wheel that git says should be there."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, check=True).stdout
    names = [name for name in listed.decode("utf-8").split("\0") if name]
    return {
        target + name[len(source) :]
        for name in names
        for source, target in SHIPPED.items()
        if name.startswith(source)
    }


def main(folder: Path) -> int:
    """Print the differences; 1 when there are any."""
    wheels, sdists = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        print(f"expected one wheel and one sdist in {folder}, found {len(wheels)} and {len(sdists)}")
        return 1
    with zipfile.ZipFile(wheels[0]) as wheel:
        found = {name for name in wheel.namelist() if ".dist-info/" not in name and not name.endswith("/")}
    expected = tracked()
    for name in sorted(expected - found):
        print(f"missing from the wheel: {name}")
    for name in sorted(found - expected):
        print(f"in the wheel, but not tracked: {name}")
    with tarfile.open(sdists[0]) as sdist:
        inside = {name.split("/", 1)[1] for name in sdist.getnames() if "/" in name}
    lacking = {"pyproject.toml", "README.md", "LICENSE", "NOTICE"} - inside
    for name in sorted(lacking):
        print(f"missing from the sdist: {name}")
    if expected != found or lacking:
        return 1
    print(f"{wheels[0].name}: {len(found)} files, as tracked")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

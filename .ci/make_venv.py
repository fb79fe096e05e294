"""Make the virtual environment of the project: `python .ci/make_venv.py FOLDER`.

Refuses a Python that the project does not support, in words, before anything is installed.
"""

import sys
import venv

OLDEST, TOO_NEW = (3, 10), (3, 14)

if not OLDEST <= sys.version_info[:2] < TOO_NEW:
    found = ".".join(map(str, sys.version_info[:3]))
    sys.exit(
        f"Python {found} at {sys.executable} is not supported: 3.10 to 3.13 are.\n"
        "Name another one, for example: make setup PYTHON=python3.12"
    )
venv.EnvBuilder(with_pip=True, clear=True).create(sys.argv[1])

# The commands of this project. Everything runs in .venv, which `make setup` makes from nothing but Python.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.locked
JOBS ?= 3

.PHONY: setup demo test rest prove bench check format build snapshots screenshots clean

setup: $(STAMP)

$(STAMP): .ci/requirements.txt pyproject.toml
	@echo "setting up $(VENV) with the locked versions; this takes a minute or two"
	$(PYTHON) .ci/make_venv.py $(VENV)
	$(BIN)/python -m pip install --quiet --requirement .ci/requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	touch $(STAMP)

# The main job on the built-in store: the explorer in a terminal, a printed search, why and pack elsewhere.
demo: setup
	$(BIN)/memhtml-tui demo

test: setup
	$(BIN)/python -m pytest -n $(JOBS) -m "not prove and not browser and not costly"

# What the quick suite leaves out for its time; the web view in Chromium skips, and says so, where there is none.
rest: setup
	$(BIN)/python -m pytest -n $(JOBS) -m "(costly or browser) and not prove"

# The long proofs, at the counts that the issues state.
prove: setup
	MEMHTML_TUI_PROVE=1 $(BIN)/python -m pytest -n $(JOBS)

bench: setup
	$(BIN)/python -m tests.bench

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

build: setup
	rm -rf .build && $(BIN)/python -m build --no-isolation --outdir .build .
	$(BIN)/python .ci/wheel_files.py .build

snapshots: setup
	$(BIN)/python -m pytest tests/ui -m snapshot --snapshot-update

# The pictures of the README, from the demo store; the PNG copies need Chromium.
screenshots: setup
	$(BIN)/python -m tests.shots

clean:
	rm -rf $(VENV) .build build *.egg-info

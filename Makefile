# Needs Python >= 3.10 with venv, and a network the first time. PYTHON= chooses another one.
PYTHON ?= python3
VENV ?= .venv
ARENITE_JOBS ?= auto

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# One BLAS thread: times are comparable, and parallel tests do not fight over the cores.
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: help demo test test-long lint types docs bench clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/.demo ## read a handwritten digit with the bundled model
	@$(BIN)/python examples/digits/demo.py

test: $(VENV)/.test ## all tests, in a few minutes
	@$(BIN)/python -m pytest -n $(ARENITE_JOBS)

test-long: $(VENV)/.test ## 200 random models per operator, 10,000 broken files
	@ARENITE_CASES=200 $(BIN)/python -m pytest -n $(ARENITE_JOBS)
	@$(BIN)/python -m tests.formats.fuzz --count 10000

lint: $(VENV)/.dev ## ruff: lint and format
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@echo "lint: clean"

types: $(VENV)/.dev ## mypy, strict
	@$(BIN)/mypy

docs: $(VENV)/.test ## write the generated pages and pictures again
	@$(BIN)/python docs/make_operators.py
	@$(BIN)/python docs/make_cli.py
	@$(BIN)/python docs/make_times.py
	@$(BIN)/arenite memory examples/digits/digits_int8.tflite --svg docs/images/digits_arena.svg > /dev/null

bench: $(VENV)/.test ## the reference kernels' times next to tflite_micro and LiteRT
	@$(BIN)/python benchmarks/reference.py

clean: ## remove what the commands above made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist

# Stamps: the environment is made, or an extra installed, only when pyproject.toml changed.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "Arenite needs Python >= 3.10, $(PYTHON) is older: make PYTHON=python3.12 ..."; exit 1; }
	@echo "making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: $(VENV)/.made pyproject.toml
	@echo "installing arenite"
	@$(PIP) install --editable '.[image]'
	@touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml
	@echo "installing arenite with its test tools"
	@$(PIP) install --editable '.[test]'
	@touch $@ $(VENV)/.demo

$(VENV)/.dev: $(VENV)/.made pyproject.toml
	@echo "installing arenite with its developer tools"
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.test $(VENV)/.demo

# Needs Python >= 3.10 with venv, and a network the first time. PYTHON= chooses another one.
PYTHON ?= python3
VENV ?= .venv
ARENITE_JOBS ?= auto
TIME ?= 60
# What is emulated takes ten times as long: few random models.
ARM_CPUS ?= cortex-a53 neoverse-n1 max
ARM_CASES ?= 3
# The one that all sets of kernels run on.
ARM_SUITE ?= max
ARM_WHEEL := manylinux_2_17_aarch64

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# One BLAS thread: times are comparable, and parallel tests do not fight over the cores.
export OPENBLAS_NUM_THREADS ?= 1

# What the native engine is made of, and, from pyproject.toml, what it is made with.
ENGINE := pyproject.toml CMakeLists.txt $(wildcard cmake/*.* cmake/python/* csrc/*/*.[ch] csrc/*/*/*.[ch]) \
	src/arenite/native/_build.py src/arenite/kernels/shim/kernel.h
# Whose C and C++ .clang-format says the form of.
FORMATTED := src csrc
# What is installed is what requirements/ names, by version and hash; `make lock` renews that.
LOCKED := $(PIP) install --require-hashes --requirement requirements
BUILT := --no-deps --no-build-isolation --config-settings=build-dir=$(VENV)/engine

.PHONY: help demo fit firmware test check test-long test-random test-report test-cluster lock sanitize fuzz spills arm test-arm lint types docs site bench native wheel wheels test-wheel rehearse clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/.demo ## read a handwritten digit with the bundled model
	@$(BIN)/python examples/digits/demo.py

fit: $(VENV)/.demo ## whether a model fits a board: make fit MODEL=model.tflite BOARD=nano33ble
	@$(BIN)/arenite fit $(or $(MODEL),examples/digits/digits_int8.tflite) $(if $(BOARD),--board $(BOARD))

firmware: $(VENV)/.board ## the digits as firmware on an emulated Cortex-M4, with a UART
	@$(MAKE) --no-print-directory -C examples/firmware PYTHON=$(abspath $(BIN))/python

test: $(VENV)/.test ## all tests, in a few minutes
	@$(BIN)/python -m pytest -n $(ARENITE_JOBS)

check: ## one operator, part by part, without a build: make check OP=leaky_relu
	@python=$(BIN)/python; [ -x $$python ] || python=$(PYTHON); PYTHONPATH=src $$python tools/check_operator.py $(OP)

test-long: $(VENV)/.test ## 200 random models per operator, 10,000 broken files
	@ARENITE_CASES=200 $(BIN)/python -m pytest -n $(ARENITE_JOBS)
	@$(BIN)/python -m tests.fuzz --count 10000

test-random: $(VENV)/.test ## all tests in random order, whose seed is printed, with every warning an error
	@$(BIN)/python -X dev -W error -m pytest -n $(ARENITE_JOBS) -p randomly

test-report: $(VENV)/.pages ## pages of arenite report in Chromium, and the notebook
	@tools/chromium.sh
	@$(BIN)/python -m pytest tests/report/browser tests/examples/test_notebook.py

test-cluster: $(VENV)/.cluster ## evaluations on Dask and Ray, with a worker killed half way
	@$(BIN)/python -m pytest tests/analysis/test_evaluate_cluster.py

sanitize: $(VENV)/.sanitize ## native kernels under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(BIN)/python tools/sanitize.py --jobs $(ARENITE_JOBS) $(VENV)/sanitize

fuzz: $(VENV)/.sanitize ## fuzzing guided by coverage under both sanitizers, TIME= seconds; KEEP=--keep
	@$(BIN)/python tools/fuzz.py $(VENV)/fuzz --time $(TIME) $(KEEP)

spills: $(VENV)/.engine $(VENV)/.wheel ## that no accumulator of the vector kernels is kept on the stack, here and on Arm
	@$(BIN)/python tools/wheels.py build/arm/wheel --only $(ARM_WHEEL)
	@$(BIN)/python tools/spills.py $(VENV)/engine build/wheels/$(ARM_WHEEL)

arm: $(VENV)/.wheel ## an emulated Arm processor with Arenite: build/arm/bin/python; needs Debian's apt
	@$(BIN)/python tools/arm.py

test-arm: $(VENV)/.test $(VENV)/.wheel ## digests on three emulated Arm processors, tests of operators and kernels on one
	@for cpu in $(ARM_CPUS); do echo "-- $$cpu"; \
	  $(BIN)/python tools/arm.py --cpu $$cpu -- -m tests.digests --check || exit 1; done
	@ARENITE_CASES=$(ARM_CASES) $(BIN)/python tools/arm.py --cpu $(ARM_SUITE) -- \
	  -m pytest -n $(ARENITE_JOBS) -p no:cacheprovider tests/ops tests/native

lint: $(VENV)/.dev ## ruff and clang-format: lint and format, of Python and of C
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@find $(FORMATTED) -name '*.[ch]' -o -name '*.cc' | xargs $(BIN)/clang-format --dry-run --Werror
	@echo "lint: clean"

types: $(VENV)/.dev ## mypy, strict; of the README's Python as well
	@$(BIN)/mypy
	@$(BIN)/python tools/readme_types.py

docs: $(VENV)/.test ## write the generated pages and pictures again
	@$(BIN)/python docs/make_operators.py
	@$(BIN)/python docs/make_cli.py
	@$(BIN)/python docs/make_errors.py
	@$(BIN)/python docs/make_files.py
	@$(BIN)/python docs/make_times.py
	@$(BIN)/python docs/make_operator_times.py
	@$(BIN)/python docs/make_mnn.py
	@$(BIN)/python docs/make_optimize.py
	@$(BIN)/python docs/make_lower.py
	@$(BIN)/arenite memory examples/digits/digits_int8.tflite --target cortex-m4 --svg docs/images/digits_arena.svg > /dev/null
	@$(BIN)/python docs/make_memory.py
	@$(BIN)/python docs/make_conv2d.py
	@$(BIN)/python docs/make_cost.py
	@$(BIN)/python docs/make_firmware.py
	@$(BIN)/python docs/make_exports.py

site: $(VENV)/.site ## the documentation as a website, in build/site; a broken link is an error
	@mkdir -p build
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict > build/site.log 2>&1 \
	  || { cat build/site.log; exit 1; }
	@echo "site: build/site/index.html"

bench: $(VENV)/.test ## times next to tflite_micro, LiteRT and MNN: native engine, reference kernels
	@$(BIN)/python benchmarks/native.py
	@$(BIN)/python benchmarks/reference.py

native: $(VENV)/.engine ## build the native engine again, if its sources changed

wheel: $(VENV)/.wheel ## a wheel for any Linux on this processor (or this Mac), into dist/
	@rm -rf dist
	@$(BIN)/python tools/wheels.py dist --only here
	@$(BIN)/python tools/check_wheels.py dist/*.whl

wheels: $(VENV)/.wheel ## all wheels, built here by zig: Linux, macOS, Windows, pure Python; and the sdist
	@rm -rf dist
	@$(BIN)/python tools/wheels.py dist
	@$(BIN)/python tools/check_wheels.py dist/*.whl

test-wheel: wheel ## all tests against that wheel, in a new environment, away from the sources
	@PYTHON=$(PYTHON) JOBS=$(ARENITE_JOBS) tools/test_wheel.sh dist/*.whl

rehearse: wheels ## a release on an index of this machine, installed on PYTHONS=, then docs/start.md, timed
	@tools/rehearse.sh dist $(or $(PYTHONS),$(shell $(PYTHON) tools/pythons.py))
	@$(PYTHON) tools/five_minutes.py "$$(ls dist/*manylinux*$$(uname -m).whl)"

lock: $(VENV)/.made ## write requirements/ again: the newest versions, with their hashes
	@$(PIP) install uv
	@BIN=$(BIN) tools/lock.sh

clean: ## remove what the commands above made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist

# Stamps: the environment is made, the engine built, or an extra installed, only when what it
# comes from changed.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo "Arenite needs Python >= 3.10, $(PYTHON) is older: make PYTHON=python3.12 ..."; exit 1; }
	@echo "making a virtual environment in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.tools: requirements/build.txt | $(VENV)/.made
	@echo "installing the compiler"
	@$(LOCKED)/build.txt
	@rm -rf $(VENV)/engine $(VENV)/sanitize
	@touch $@

ifdef WHEEL # what another Python built serves this one: the engine has Python's stable ABI
$(VENV)/.engine: $(WHEEL) | $(VENV)/.made
	@echo "installing $<"
	@$(PIP) install --no-deps --force-reinstall $<
	@touch $@
else # in a folder of the environment, where only what changed is compiled again
$(VENV)/.engine: $(ENGINE) $(VENV)/.tools
	@echo "building the native engine"
	@$(PIP) install $(BUILT) --editable .
	@touch $@
endif

$(VENV)/abi3: $(VENV)/.engine # its wheel, for WHEEL= of other Pythons on this machine
	@$(PIP) wheel $(BUILT) --wheel-dir $@ .

$(VENV)/.demo: requirements/demo.txt | $(VENV)/.engine
	@echo "installing arenite"
	@$(LOCKED)/demo.txt
	@touch $@

$(VENV)/.board: requirements/board.txt | $(VENV)/.engine
	@echo "installing arenite with its emulated board"
	@$(LOCKED)/board.txt
	@touch $@

$(VENV)/.test: requirements/test.txt | $(VENV)/.engine
	@echo "installing arenite with its test tools"
	@$(LOCKED)/test.txt
	@touch $@ $(VENV)/.demo $(VENV)/.board

$(VENV)/.dev: requirements/dev.txt | $(VENV)/.engine
	@echo "installing arenite with its developer tools"
	@$(LOCKED)/dev.txt
	@touch $@ $(VENV)/.test $(VENV)/.demo $(VENV)/.board

$(VENV)/.cluster: requirements/cluster.txt | $(VENV)/.engine
	@echo "installing arenite with Dask and Ray"
	@$(LOCKED)/cluster.txt
	@touch $@ $(VENV)/.test $(VENV)/.demo $(VENV)/.board

$(VENV)/.pages: requirements/pages.txt | $(VENV)/.engine
	@echo "installing arenite with what draws and opens pages"
	@$(LOCKED)/pages.txt
	@touch $@ $(VENV)/.test $(VENV)/.demo $(VENV)/.board

$(VENV)/.site: requirements/site.txt | $(VENV)/.made
	@echo "installing what makes the website"
	@$(LOCKED)/site.txt
	@touch $@

$(VENV)/.sanitize: | $(VENV)/.test
	@echo "installing the sanitizer"
	@$(LOCKED)/sanitize.txt || echo "there is none for this Python on this machine"
	@touch $@

$(VENV)/.wheel: requirements/wheel.txt | $(VENV)/.tools
	@echo "installing what reads wheels"
	@$(LOCKED)/wheel.txt
	@touch $@

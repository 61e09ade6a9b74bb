# Everything starts from python3 (3.11 or newer) and make; the rest is installed into .venv,
# exactly as pinned in requirements-dev.lock and requirements-spark.lock.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Every process that a test starts would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow lint types imports equipment pytest format bench reference docs package charts lock clean

help:  ## list these targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

demo: .venv/.ready  ## run the example: publish a series, attack it, report
	@rm -rf build/demo
	@$(BIN)/seriatim demo --folder build/demo

# Types are looked at beside the tests: both wait for much else than a processor.
test: lint imports equipment  ## style, layers, types, tests and doctests: five minutes
	@mkdir -p build
	@echo '== mypy, beside the tests'
	@$(BIN)/mypy > build/mypy.txt 2>&1 & types=$$!; \
	$(MAKE) --no-print-directory pytest; tested=$$?; \
	wait $$types || { cat build/mypy.txt; exit 1; }; \
	exit $$tested

lint: .venv/.ready  ## ruff: format and rules
	@echo '== ruff format --check'
	@$(BIN)/ruff format --check .
	@echo '== ruff check'
	@$(BIN)/ruff check .

types: .venv/.ready  ## mypy --strict on the package
	@echo '== mypy'
	@$(BIN)/mypy

imports: .venv/.ready  ## import-linter: imports point downward only
	@echo '== lint-imports'
	@$(BIN)/lint-imports --no-logo

equipment: .venv/.ready
	@$(BIN)/python tests/obtain_browser.py
	@echo '== kernels: compiled once, before the workers start'
	@$(BIN)/python tests/compile_kernels.py

pytest: equipment  ## tests and doctests, on all cores
	@echo '== pytest: tests and doctests'
	@$(BIN)/pytest -n auto

test-slow: equipment  ## the long tier: packages, site, notebook, figures, demo, more kills, many examples
	@echo '== pytest: the long tier'
	@$(BIN)/pytest -n auto -m slow
	@echo '== pytest: properties, with ten times as many examples'
	@HYPOTHESIS_PROFILE=nightly $(BIN)/pytest -n auto tests/properties
	@$(MAKE) --no-print-directory package

format: .venv/.ready  ## rewrite the sources in the house style
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: .venv/.ready  ## measure everything as ratios in one run, and keep the figures
	$(BIN)/python benchmarks/run_all.py $(BENCH)
	$(BIN)/python benchmarks/bench_partition.py
	$(BIN)/python benchmarks/bench_cells.py
	$(BIN)/python benchmarks/bench_readers.py
	$(BIN)/python benchmarks/bench_rehearsal.py
	$(BIN)/python benchmarks/bench_history.py
	$(BIN)/python benchmarks/bench_store.py
	$(BIN)/python benchmarks/bench_queries.py
	$(BIN)/python benchmarks/bench_simulate.py
	$(BIN)/python benchmarks/bench_report.py
	$(BIN)/python benchmarks/bench_start.py

reference: .venv/.ready  ## write what docs/reference has from the program itself
	$(BIN)/python docs/reference/make_cli.py
	$(BIN)/python docs/reference/make_schema.py
	$(BIN)/python docs/reference/make_study.py
	$(BIN)/python docs/reference/make_api.py
	$(BIN)/python docs/reference/make_modules.py

docs: reference  ## build the site into build/docs; a warning is an error
	$(BIN)/sphinx-build -q -E -W --keep-going -b html -d build/doctrees docs build/docs
	@echo 'open build/docs/index.html'

package: .venv/.ready  ## build wheel and sdist into dist, install each into a clean environment
	@rm -rf dist build/package
	$(BIN)/hatchling build
	@for built in dist/*.whl dist/*.tar.gz; do \
		echo "== $$built"; \
		$(PYTHON) -m venv --clear build/package && \
		build/package/bin/python -m pip --disable-pip-version-check --quiet install "$$built" && \
		build/package/bin/seriatim --version && \
		build/package/bin/seriatim example --json > /dev/null && \
		build/package/bin/python -c 'import seriatim, sys; assert "duckdb" not in sys.modules' || exit 1; \
	done
	@rm -rf build/package

charts:  ## bundle the library that draws charts anew; needs npm
	@rm -rf build/charts && mkdir -p build/charts && cp vendor/vega/* build/charts
	cd build/charts && npm install --no-audit --no-fund --silent
	cd build/charts && node make.mjs $(CURDIR)/src/seriatim/report/assets

lock:  ## pin the newest allowed versions in requirements*.lock
	@rm -rf build/lock && $(PYTHON) -m venv build/lock
	@build/lock/bin/python -m pip --disable-pip-version-check --quiet install uv
	build/lock/bin/uv $(COMPILE) --output-file requirements.lock pyproject.toml
	build/lock/bin/uv $(COMPILE) --output-file requirements-dev.lock \
		--constraints requirements.lock $(EXTRAS) --group dev pyproject.toml
	build/lock/bin/uv $(COMPILE) --output-file requirements-spark.lock \
		--constraints requirements-dev.lock --extra spark --group java pyproject.toml
	@rm -rf build/lock

# All but bench and spark: Spark is no wheel and has a lock file of its own; anjana pins numpy and
# pandas, and would hold everyone back or resolve not at all.
EXTRAS = --extra databases --extra excel --extra pandas --extra png --extra polars \
	--extra studio

COMPILE = pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate

clean:  ## remove the environment, caches and built files
	rm -rf .venv build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment is made anew when the pinned versions change; the package (editable) is
# installed again when its metadata change.

.venv/.pinned: requirements-dev.lock
	@command -v $(PYTHON) >/dev/null || { \
		echo "seriatim needs Python 3.11 or newer; '$(PYTHON)' is not there." >&2; \
		echo "Name another one, for example: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; \
		exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "seriatim needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
		echo "Name another one, for example: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; \
		exit 1; }
	@echo '== setting up .venv from requirements-dev.lock (once)'
	@$(PYTHON) -m venv --clear .venv
	@$(PIP) install --require-hashes --only-binary :all: -r requirements-dev.lock
	@touch $@

# Spark is built from its source distribution, which is large; one file of its own keeps the rest
# of the environment to wheels. A Java for it comes along.
.venv/.spark: .venv/.pinned requirements-spark.lock
	@echo '== adding Spark from requirements-spark.lock (once)'
	@$(PIP) install --require-hashes -r requirements-spark.lock
	@touch $@

.venv/.ready: .venv/.pinned .venv/.spark pyproject.toml src/seriatim/_version.py
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

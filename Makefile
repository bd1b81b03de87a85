# Two commands do everything on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

# The dense solves here are small: more threads only wait for each other.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1

.PHONY: demo test test-slow docs kernels bench lint format clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMP): $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(STAMP)-%: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	touch $@

demo: $(STAMP)          ## simulate, audit and plot a double pendulum, a four-bar and a motor with heat
	$(BIN)/visviva demo --out out

test: $(STAMP)-test     ## the default tests
	$(BIN)/python -m pytest -n 2 -m "not slow"

test-slow: $(STAMP)-test ## the long verification: orders, published numbers, stored trajectories
	$(BIN)/python -m pytest -n 2 -m slow

lint: $(STAMP)-lint     ## ruff, import layers, mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

format: $(STAMP)-lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP)-docs     ## the site, in docs/_build/html; every example is executed
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

kernels: $(STAMP)       ## compile the kernels that are shipped anew, after a change of their sources
	$(BIN)/python -m visviva.cli.ship

bench: $(STAMP)-test    ## ratios against peers, as a table
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) out docs/_build docs/jupyter_execute build dist

# `make eval` and `make test` set up all they need; a Python of at least 3.11 and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: eval test format reference bench clean

eval: $(READY)  ## run the shipped agent-context suite as a gate; the report is the only thing on stdout
	@$(BIN)/evalkit eval:agent-context --failure-threshold 0

test: $(READY)  ## every check: format, lint, types, tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -n auto -m 'not slow'
	$(BIN)/pytest -n 4 --dist worksteal -m slow  # most of them wait

format: $(READY)  ## put the code in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

reference: $(READY)  ## write the reference reports, pages and schema anew, after a change that was meant
	@mkdir -p reports
	$(BIN)/evalkit schema suite > suites/suite.schema.json
	$(BIN)/evalkit eval:agent-context --failure-threshold 0 > reports/agent-context.json
	$(BIN)/evalkit eval:scriba --failure-threshold 0 > reports/scriba.json
	$(BIN)/python docs/reference.py

bench: $(READY)  ## what makes a speed claim repeatable
	$(BIN)/python benchmarks/run.py

clean:  ## take the environment and the caches away
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "evalkit needs Python 3.11 or newer; try: make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV) >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]' >&2
	@touch $(READY)

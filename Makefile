# `make demo` and `make test` set up everything they need. They require only git, make and Python with venv.
# `make demo` installs what people use; `make test` adds torch and the tools of development to the same folder.

# `make test PYTHON=python3.13` tests another Python, in an environment of its own: .venv-3.13.
PYTHON ?= python3
ifeq ($(origin PYTHON),file)
VENV ?= .venv
else
VENV ?= .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif
# Without `models` there is no torch: its tests are skipped, with the reason.
EXTRAS ?= models,multilingual
# One more than two cores: tests also wait for other processes and for the disk.
WORKERS ?= 3
FUZZ_SECONDS ?= 60
BIN := $(VENV)/bin
export HF_HUB_OFFLINE := 1
# Some machines forbid it: each process would then compile every module that it imports, for half a second.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: light install dist demo quick check-minimum test test-server check fix docs golden acceptance account bench bench-peers clean

PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt

light: $(VENV)/.light  ## create .venv and install Alexandria and its model into it, without torch

# Not compiled: most modules are never imported, and the others are compiled when they are.
$(VENV)/.light: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) pip
	$(PIP) --no-compile --editable .
	$(BIN)/alexandria models install
	touch $@

install: $(VENV)/.installed  ## add torch and the tools of development

# While pip unpacks torch, the other processor compiles what the tests import: each process of the tests would do it.
$(VENV)/.installed: $(VENV)/.light
	$(PIP) --no-compile --group dev
	$(BIN)/pytest -m "not shared" --collect-only >$(VENV)/collected.log 2>&1 & \
	$(PIP) --no-compile $(if $(findstring models,$(EXTRAS)),torch) --editable '.[$(EXTRAS)]' && wait
	touch $@

demo: light  ## ingest the samples, show the cuts of one book, search
	$(BIN)/alexandria ingest samples --store .demo
	$(BIN)/alexandria inspect samples/the-quiet-trades.epub
	$(BIN)/alexandria search "how do bees tell each other the way" --store .demo -k 2
	@echo "Next, a book or a folder of your own:  $(BIN)/alexandria ingest PATH"

# One and twenty files that run four fifths of the program: its contracts, and each verb once. They need neither
# real books nor, without the tests marked so, the model.
QUICK := $(addprefix tests/,test_golden.py test_samples.py test_pipeline.py chunking/test_contract.py \
    embed/test_contract.py extract/test_contract.py store/test_contract.py store/test_catalog.py batch/test_ingest.py \
    library/test_library.py query/test_query.py query/test_quotations.py passages/test_citations.py \
    evaluate/test_boundaries.py evaluate/test_retrieval.py views/test_json.py views/terminal/test_captures.py \
    cli/test_cli.py cli/test_cli_library.py mcp/test_tools.py serve/test_pages.py)
QUICKLY = -m "not model and not shared" $(QUICK)

quick:  ## tests that run most of the program, in an environment without torch; also from the sdist
	test -e $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(PIP) pip
	$(PIP) --no-compile --group test --editable .
	$(BIN)/pytest -n $(WORKERS) --dist worksteal $(QUICKLY)

check-minimum:  ## the quick tests with the lowest versions that are declared, in a separate environment
	$(PYTHON) -m venv .minimum
	.minimum/bin/pip install --quiet --disable-pip-version-check uv
	.minimum/bin/uv pip compile --quiet --resolution lowest-direct pyproject.toml --output-file .minimum/lowest.txt
	.minimum/bin/uv pip install --quiet --python .minimum/bin/python --requirement .minimum/lowest.txt --group test
	.minimum/bin/uv pip install --quiet --python .minimum/bin/python --no-deps --editable .
	.minimum/bin/pytest -n $(WORKERS) --dist worksteal -W ignore::DeprecationWarning $(QUICKLY)

test: install  ## the whole suite, without the tests that read real books
	$(BIN)/pytest -m "not shared" -n $(WORKERS) --dist worksteal

test-server: install  ## contract, kill and reader tests on the Qdrant server at URL, in collections of their own
	ALEXANDRIA_TEST_SERVER=$(URL) $(BIN)/pytest -m "not shared" tests/store -k live

acceptance: install  ## the tests that read the real books of ../shared/data
	$(BIN)/pytest -m shared -rs -n 2 --dist loadfile

check: install  ## check format, lint, types and generated docs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/cog --check $(COGGED)

fix: install  ## automatic formatting and lint fixes
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

COGGED := README.md docs/api.md docs/cli.md docs/descriptions.md docs/install.md docs/modules.md docs/strategies.md

docs: install  ## regenerate the generated parts of the docs
	$(BIN)/cog -r $(COGGED)

DRAWN := $(wildcard tests/*/test_drawn_*.py)

golden: install  ## regenerate the golden files; review them as a diff
	GOLDEN=write $(BIN)/pytest tests/test_golden.py tests/views/terminal/test_captures.py tests/extract/test_shelf.py $(DRAWN)

promises: install  ## before a release: record the new names, options and JSON keys as promised
	PROMISES=write $(BIN)/pytest tests/test_promises.py

fuzz: install  ## one minute of damaged files, from a fixed seed
	$(BIN)/python tools/fuzz.py --seconds $(FUZZ_SECONDS)

account: install  ## where each word of the books in FOLDER went
	$(BIN)/python tools/account.py $(FOLDER)

bench: install  ## where the time of an ingest is spent, and how close the model comes to a bare loop
	$(BIN)/python benchmarks/speed.py

bench-peers: install  ## other chunkers on the same text, in a separate environment; writes docs/lab/
	$(PYTHON) -m venv .peers
	.peers/bin/pip install --quiet --disable-pip-version-check torch==2.13.0
	.peers/bin/pip install --quiet --disable-pip-version-check --requirement benchmarks/peers.txt
	$(BIN)/python benchmarks/peers.py --venv .peers

dist: install  ## build wheel and sdist, and try each in an empty environment
	$(BIN)/python tools/dist.py

clean:
	rm -rf .venv .venv-* .peers .minimum .demo .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist

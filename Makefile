# On a fresh machine with Python 3.11 and make, `make demo` and `make test` include the set-up.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
# Dependency groups need pip 25.1.
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# For two cores. Tests that wait for processes get one worker more. tests/loop.py orders the files, slowest first.
ORDER  := --dist loadfile --no-loadscope-reorder
PYTEST := $(BIN)/pytest -q $(ORDER)
QUICK  := not (process or terminal or namespace or simulation or slow or soak)

# The tests start hundreds of short processes, so compiled modules are always kept.
unexport PYTHONDONTWRITEBYTECODE

# The sentences of the user interface, and their translations.
LOCALE    := seqp2p/ui/locale
LANGUAGES := $(notdir $(wildcard $(LOCALE)/??))

.PHONY: demo quick test slow docs links lowest durations lint types mypy platforms pyright tests coverage soak mutants bench bots train fuzz corpus vectors man catalogue screens tables reference dist adversaries app clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    let four bots play a whole game, four processes over loopback, and verify its replay"
	@echo "make quick   run the tests without processes, terminals, namespaces or whole simulated games (PKG=match for one package)"
	@echo "make test    run lint, types and tests"
	@echo "make slow    run the tests of a minute: every adversary, simulated games, terminals, four hosts"
	@echo "make docs    make a site of the pages in build/site; a warning or a link that leads nowhere is an error"
	@echo "make links   check the links of the pages to other sites, over the network"
	@echo "make lowest  run the quick tests with the lowest versions of all libraries, in an environment of its own"
	@echo "make durations measure how long each test file takes, for the order in which they start"
	@echo "make coverage run the tests and list the lines and branches they miss (twice as slow)"
	@echo "make soak    simulate games on networks that fail, for SECONDS=600, from SEED=0 on, and print a table; long explorations"
	@echo "make mutants break one check at a time, and test that the tests notice (about 15 minutes)"
	@echo "make bench   run the benchmarks (ONLY=crypto|net|replay|timing|… for one part) and write build/bench.json"
	@echo "make fuzz    run every fuzz target for SECONDS=60, guided by coverage (ONLY=replay for one)"
	@echo "make bots    play the bots against each other and write the table of docs/bots.md; goes on where it was stopped (ROWS=\"5 6\" plays these again)"
	@echo "make train   learn the weights of the bot learned: FILE=build/classic-2.npz TABLE=classic-2, classic-3 or kids (QUICK=1: five minutes)"
	@echo "make catalogue collect the sentences to translate, and compile their translations"
	@echo "make vectors write protocol/vectors, the golden replays and the JSON Schemas again"
	@echo "make corpus  write the seeds of the fuzz targets again, from the vectors and the golden replays"
	@echo "make adversaries write docs/adversaries.md again"
	@echo "make screens take the pictures of docs/screens again (needs tmux)"
	@echo "make man     write the manual pages in docs/man again"
	@echo "make tables  write the tables and pictures in docs that are made from the code"
	@echo "make reference write docs/reference.md, the reference of the library, which is not in git"
	@echo "make dist    make the wheel and the archive of sources, with the reference of the library, in dist"
	@echo "make app     make one executable that needs no Python, build/seqp2p, for systems like this one"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "seqp2p needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "this Python cannot make virtual environments (on Debian: apt-get install python3-venv)"; exit 1; }
	@echo "setting up $(VENV) (once)"
	@$(PIP) --upgrade 'pip>=25.1'
	@$(PIP) -e '.[learning]' --group dev
	@touch $@

demo: $(STAMP)
	@$(BIN)/seqp2p demo --players 4

# The two type checkers use one core each, so they run in parallel, each with its output in one piece.
test: $(STAMP)
	@$(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync) lint types
	@$(MAKE) --no-print-directory tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: mypy pyright platforms

mypy: $(STAMP)
	$(BIN)/mypy

# The lines for other systems.
platforms: $(STAMP)
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 seqp2p
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin seqp2p

pyright: $(STAMP)
	$(BIN)/basedpyright

# What failed, perhaps by a busy machine, runs again alone.
tests: $(STAMP)
	$(BIN)/python -m tests.again $(ORDER) -n 3

quick: $(STAMP)
	$(PYTEST) -n 2 -m "$(QUICK)" $(if $(PKG),$(wildcard $(PKG:%=tests/%) $(PKG:%=tests/%.py) $(PKG:%=seqp2p/%)))

slow: $(STAMP)
	$(BIN)/python -m tests.again $(ORDER) -n 3 -m slow

# -E: pages that have not changed give their warnings again.
docs: reference
	@$(PIP) --group docs
	$(BIN)/sphinx-build -q -E -W --keep-going -c docs . build/site

links: reference
	@$(PIP) --group docs
	$(BIN)/sphinx-build -q -E -W --keep-going -c docs -b linkcheck . build/links

# Files that the newest libraries write, and a terminal of 256 colours, for which prompt_toolkit chooses better since 3.0.53.
NEWEST := test_they_say_what_the_commands_say or test_the_files_are_as_the_code or one_of_256 or test_the_command_prints_the_files

# An environment of its own: the package with the lowest version that it admits of each library.
lowest:
	@$(PYTHON) -m venv --clear build/lowest
	@build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(PYTHON) tests/lowest.py > build/lowest/constraints.txt
	@build/lowest/bin/python -m pip install --quiet -e '.[learning]' --group dev -c build/lowest/constraints.txt
	build/lowest/bin/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder -m "$(QUICK)" -k "not ($(NEWEST))"

durations: $(STAMP)
	$(PYTEST) -n 3 -m "not soak" --write-durations

coverage: $(STAMP)
	$(PYTEST) -n 3 -m "not soak" --cov --cov-report=term:skip-covered

soak: $(STAMP)
	$(BIN)/python -m tests.sim soak --seconds $(or $(SECONDS),600) --first-seed $(or $(SEED),0)
	$(BIN)/python -m tests.replay.exhaust --bits
	$(BIN)/pytest -q -m soak tests

mutants: $(STAMP)
	$(BIN)/python -m tests.mutants

bench: $(STAMP)
	@$(PIP) --group bench
	$(BIN)/python benchmarks/run.py $(ONLY)

train: $(STAMP)
	@test -n "$(FILE)" || { echo "name the training's file: make train FILE=build/classic-2.npz TABLE=classic-2"; exit 1; }
	@mkdir -p $(dir $(FILE))
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tools.train $(FILE) --table $(or $(TABLE),classic-2) $(if $(QUICK),--games 10000)
	$(BIN)/python -m tools.train $(FILE) --table $(or $(TABLE),classic-2) --weights $(basename $(FILE)).bin

bots: $(STAMP)
	$(BIN)/python docs/generate_bots.py $(if $(JOBS),--jobs $(JOBS)) $(ROWS)

fuzz: $(STAMP)
	@$(PIP) --group fuzz
	@$(BIN)/python -m tests.fuzz.run $(or $(SECONDS),60) $(ONLY)

corpus: $(STAMP)
	$(BIN)/python -m tests.fuzz.corpus

vectors: $(STAMP)
	$(BIN)/python protocol/generate.py
	$(BIN)/python protocol/generate_perft.py
	$(BIN)/python protocol/generate_schemas.py

man: $(STAMP)
	$(BIN)/python docs/generate_man.py

adversaries: $(STAMP)
	$(BIN)/python -m tests.sim adversaries --page > docs/adversaries.md

catalogue: $(STAMP)
	@mkdir -p build
	@$(BIN)/pybabel -q extract --no-default-keywords -k t -k tn:1,2 -k message -k term:1c,2 --no-location --sort-output --no-wrap \
	  --project=seqp2p --msgid-bugs-address="the seqp2p authors" -F $(LOCALE)/babel.cfg -o build/seqp2p.pot .
	@for language in $(LANGUAGES); do \
	  file=$(LOCALE)/$$language/LC_MESSAGES/seqp2p; mkdir -p $$(dirname $$file); \
	  [ -e $$file.po ] || $(BIN)/pybabel -q init -l $$language --no-wrap -i build/seqp2p.pot -o $$file.po; \
	  $(BIN)/pybabel -q update -l $$language --no-wrap --ignore-obsolete --no-fuzzy-matching \
	    --ignore-pot-creation-date -i build/seqp2p.pot -o $$file.po && \
	  $(BIN)/pybabel -q compile -l $$language --statistics -i $$file.po -o $$file.mo || exit 1; done

screens: $(STAMP)
	$(BIN)/python docs/screens/make.py

reference: $(STAMP)
	$(BIN)/python docs/generate_reference.py

dist: reference
	@$(PIP) --group dist
	rm -rf dist
	$(BIN)/python -m hatchling build
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

# An environment of its own, so that nothing else gets in. readline is under the GPL, and unused.
APP := --onefile --bootloader-ignore-signals --name seqp2p --collect-submodules seqp2p --collect-data seqp2p --exclude-module readline --exclude-module setuptools

app:
	@$(PYTHON) -m venv --clear build/app
	@build/app/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@build/app/bin/python -m pip install --quiet . --group app
	build/app/bin/pyinstaller --noconfirm --log-level ERROR --strip --distpath build --workpath build/pyi --specpath build/pyi $(APP) tools/app.py
	build/seqp2p --version
	build/seqp2p verify replays/kids-3.seqp2p

tables: $(STAMP)
	$(BIN)/python docs/generate_tables.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage*

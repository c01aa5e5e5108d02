# `make` lists the targets. The first one that needs packages makes a virtual environment in .venv, and installs again only
# when pyproject.toml or constraints.txt changed.
#
# Training never writes over an earlier run: the first run's folder is runs/astralis, the next ones' are runs/astralis-2,
# runs/astralis-3, and so on. A run that was interrupted goes on with `make resume`. Settings that can be given:
#
#     make train SEED=7 MINUTES=20       another seed, another length
#     make train OUT=runs/mine           another folder
#     make train ARGS='--size 5'         any other argument of `starboard train astralis`
#     make resume RUN=runs/astralis-2    a run that is not the last one
#     make test ARGS='-k aec -x'         arguments of pytest
#     make test PYTHON=python3.12        the Python that .venv is made with, where there is none yet

PYTHON ?= python3
SEED ?= 0
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
TRAIN_INSTALLED := $(VENV)/.installed-train
DEV_INSTALLED := $(VENV)/.installed-dev
MEASURED := build/bench
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt

# The first of $(1), $(1)-2, $(1)-3, ... that does not exist.
new_folder = $(shell f=$(1); n=1; while [ -e "$$f" ]; do n=$$((n + 1)); f=$(1)-$$n; done; echo "$$f")

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help train train-long resume test soak lint bench bench-guard bench-accept peers

help:
	@echo 'make train        train an agent for Astralis (8 minutes), into runs/astralis'
	@echo 'make train-long   train for 30 minutes, into runs/astralis-long'
	@echo 'make resume       go on with the last training run, after an interruption'
	@echo 'make test         run the tests'
	@echo 'make soak         run the long tests: thousands of games (many minutes)'
	@echo 'make lint         check style and types'
	@echo 'make bench        measure the speed of each layer'
	@echo 'make bench-guard  measure all games, and tell what became slower than when it was last accepted'
	@echo 'make bench-accept accept what make bench-guard measured'
	@echo 'make peers        compare with other libraries, which it installs: minutes, some gigabytes; into runs/peers.*'

train: MINUTES ?= 8
train: OUT ?= $(call new_folder,runs/astralis)
train-long: MINUTES ?= 30
train-long: OUT ?= $(call new_folder,runs/astralis-long)
train train-long: $(TRAIN_INSTALLED)
	$(BIN)/starboard train astralis --minutes $(MINUTES) --seed $(SEED) --out '$(OUT)' $(ARGS)

resume: RUN ?= $(shell ls -td runs/*/ 2>/dev/null | head -n 1)
resume: $(TRAIN_INSTALLED)
	@if [ -z '$(RUN)' ]; then echo 'make resume: there is no run in runs/ yet; start one with make train' >&2; exit 1; fi
	$(BIN)/starboard train astralis --resume --out '$(RUN)' $(ARGS)

test: $(DEV_INSTALLED)
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile $(ARGS)

soak: $(DEV_INSTALLED)
	$(BIN)/python -m pytest -m soak $(ARGS)

lint: $(DEV_INSTALLED)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(TRAIN_INSTALLED)
	$(BIN)/starboard bench $(ARGS)

bench-guard: $(TRAIN_INSTALLED)
	@mkdir -p $(MEASURED)
	for game in asteria asterion astralis; do \
		$(BIN)/starboard bench $$game --json $(MEASURED)/$$game.json $(ARGS) || exit; \
	done
	$(BIN)/python benchmarks/compare.py benchmarks/accepted $(MEASURED)

bench-accept:
	@if [ -z '$(wildcard $(MEASURED)/*.json)' ]; then \
		echo 'make bench-accept: nothing is measured yet; start with make bench-guard' >&2; exit 1; fi
	cp $(MEASURED)/*.json benchmarks/accepted/

peers: $(DEV_INSTALLED)
	$(BIN)/python benchmarks/peers/run.py --json runs/peers.json --plot runs/peers.svg $(ARGS)

# A folder without pip is what an interrupted `python -m venv` leaves: --clear makes it anew.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv --clear $(VENV)

$(TRAIN_INSTALLED): pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'Installing into $(VENV); this takes some minutes.'
	$(INSTALL) -e '.[train]'
	@touch $@

$(DEV_INSTALLED): pyproject.toml constraints.txt | $(BIN)/pip
	@echo 'Installing into $(VENV); this takes some minutes.'
	$(INSTALL) -e '.[train,arena,render,bench,dev]'
	@touch $@ $(TRAIN_INSTALLED)

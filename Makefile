# Every task of the project. `make` alone lists them; ARGS="…" is passed on to the program.
.DEFAULT_GOAL := help
SHELL := bash
TARGET := $(or $(CARGO_TARGET_DIR),target)
DATA ?= ./data
SEEDS ?= 100
SEED ?=
FEATURES ?=
# Many tests wait, for a lease to end or a program to start.
THREADS := $(shell echo $$(($$(nproc) * 3 / 2)))

.PHONY: help run test media-test players clients farm-tests page page-tests screenshots check lint fmt bench bench-encode bench-dispatch bench-events bench-manage sim docs deny advisories clean-data

help: ## List the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and serve on one machine: SQLite and files under ./data (ARGS="--listen 0.0.0.0:8080"; FEATURES=full for all that images have)
	@scripts/setup run
	@scripts/page
	@echo "run: building the programs; the first time takes some minutes"
	cargo build --profile quick -p framefarm-api -p framefarm-worker \
	  $(if $(FEATURES),--features "framefarm-api/$(FEATURES) framefarm-worker/$(FEATURES)")
	$(TARGET)/quick/framefarm serve --data-dir $(DATA) $(ARGS)

test: ## Run everything that CI checks, the quickest first
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	@# The Rust tests wait more than they compute; the fuzzer uses the CPU time that they leave. Players and pages are
	@# checked frame by frame, so nothing else runs at the same time. All use the programs that the Rust tests use:
	@# without the features of these, every dependency would be built again.
	cargo nextest run --workspace --no-run
	scripts/beside scripts/with-services cargo nextest run --workspace --test-threads $(THREADS) $(ARGS) -- \
	  $(MAKE) --no-print-directory clients
	@# The other farm tests, in which parts of a farm fail, take minutes: make farm-tests.
	scripts/beside scripts/farm-tests -k thirty -- cargo test --workspace --doc
	scripts/players
	scripts/page-tests

test: export FRAMEFARM_BIN := $(abspath $(TARGET))/debug/framefarm

media-test: ## Run the whole conformance suite of sources, and print its measurements (ARGS="-E 'test(holes)'")
	scripts/media-test $(ARGS)

players: ## Play the output of the farm in real players
	scripts/players

clients: ## Run real clients and a fuzzer against a real server
	scripts/clients

farm-tests: ## Test whole farms of real programs while parts of them fail (ARGS="-k partition")
	scripts/farm-tests $(ARGS)

page: ## Build the page; the next build of the server embeds it
	@scripts/setup run
	@scripts/page

page-tests: ## Test the page in a browser, against a real farm (ARGS="upload" for one test file)
	scripts/page-tests $(ARGS)

screenshots: ## Take screenshots of every screen, light and dark, wide and narrow, into target/screenshots
	scripts/page-tests --screenshots

check: ## Check formatting, lints and the unit tests of the page, without the documentation
	@scripts/page
	cargo fmt --check
	shellcheck .ci/run scripts/*
	scripts/check-docker
	scripts/check-locks
	scripts/check-language
	source scripts/env && cd api/web && npm run --silent types:check && npm run --silent lint && npm run --silent test && npm run --silent size
	cargo clippy --workspace --all-targets -- -D warnings
	@# The programs as make run builds them, without the features that the tests switch on.
	cargo clippy -p framefarm-api -p framefarm-worker -- -D warnings

lint: ## Run check, and build the documentation of every item without warnings
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

fmt: ## Format the code
	cargo fmt

bench: ## Run benchmarks on a PostgreSQL with durable commits (ARGS=--quick for smaller queues)
	scripts/bench $(ARGS)

bench-dispatch: ## Measure dispatch from the queue to a worker, compared with other queues (ARGS="--only latency"; takes half an hour)
	scripts/bench-dispatch $(ARGS)

bench-events: ## Measure ten thousand SSE subscribers of one instance (ARGS="--videos 50" for a tenth)
	scripts/bench-events $(ARGS)

bench-manage: ## Measure every operation on a queue of ten thousand jobs
	@scripts/setup test
	FRAMEFARM_TEST_PG_DURABLE=1 scripts/with-services cargo bench -p framefarm-api --bench manage

bench-encode: ## Measure the encoder against ffmpeg commands, as paired ratios (ARGS=1080p, 4k or copy; takes long)
	scripts/bench-encode $(ARGS)

sim: ## Simulate farms with random faults: SEEDS=100 of them, or SEED=n to replay one
	@scripts/setup test
	FRAMEFARM_SIM_SEEDS=$(SEEDS) FRAMEFARM_SIM_SEED=$(SEED) \
	  scripts/with-services cargo test -p framefarm-api --test sim -- --nocapture

docs: ## Regenerate the generated pages: API, routes, settings, state machine
	@scripts/setup test
	@# With everything, so that nothing is built with other features than for the tests.
	FRAMEFARM_WRITE_DOCS=1 cargo nextest run --workspace -E 'binary(it) & test(is_up_to_date)'
	source scripts/env && npm --prefix api/web run --silent types

deny: ## Check licences, banned crates and sources (needs cargo-deny)
	cargo deny check licenses bans sources

advisories: ## Check crates and npm packages for known vulnerabilities (needs cargo-deny and the network)
	scripts/advisories $(ARGS)

clean-data: ## Delete ./data: all videos and jobs of `make run`
	@printf 'delete %s? [y/N] ' $(DATA); read -r yes; if [ "$$yes" = y ]; then rm -rf $(DATA); else echo kept; fi

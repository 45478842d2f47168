# Every task of the project. `make` alone lists them; ARGS="…" is passed on to the program.
.DEFAULT_GOAL := help
SHELL := bash
TARGET := $(or $(CARGO_TARGET_DIR),target)
DATA ?= ./data
SEEDS ?= 100
SEED ?=
# Many tests wait, for a lease to end or a program to start.
THREADS := $(shell echo $$(($$(nproc) * 3 / 2)))

.PHONY: help run test media-test players clients farm-tests page page-tests screenshots check lint fmt bench bench-encode bench-dispatch bench-events bench-manage sim docs deny advisories clean-data

help: ## List the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and serve on one machine: SQLite and files under ./data (ARGS="--listen 0.0.0.0:8080")
	@scripts/setup run
	@scripts/page
	cargo build --release -p framefarm-api -p framefarm-worker
	$(TARGET)/release/framefarm serve --data-dir $(DATA) $(ARGS)

test: ## Everything that CI checks, the quickest first
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	@# The Rust tests wait more than they compute; the fuzzer takes the time that they leave. Players and pages are watched
	@# frame by frame, so nothing runs beside them.
	cargo build -p framefarm-api -p framefarm-worker
	scripts/with-services cargo nextest run --workspace --no-run
	scripts/beside scripts/with-services cargo nextest run --workspace --test-threads $(THREADS) $(ARGS) -- \
	  $(MAKE) --no-print-directory clients
	@# The others of its kind, in which the parts of a farm break, take minutes: make farm-tests.
	scripts/beside scripts/farm-tests -k thirty -- cargo test --workspace --doc
	scripts/players
	scripts/page-tests

media-test: ## Every source of the conformance suite, and the table of what was measured (ARGS="-E 'test(holes)'")
	@scripts/setup test
	scripts/media-test $(ARGS)

players: ## What the farm makes, in real players
	scripts/players

clients: ## Real clients and a fuzzer against a real server
	scripts/clients

farm-tests: ## Whole farms of real programs, and what becomes of the work when parts of them break (ARGS="-k partition")
	scripts/farm-tests $(ARGS)

page: ## Build the page, which the next build of the server takes in
	@scripts/setup run
	@scripts/page

page-tests: ## The page in a browser, against a real farm (ARGS="upload" for one file of tests)
	scripts/page-tests $(ARGS)

screenshots: ## A picture of every screen, light and dark, wide and narrow, into target/screenshots
	scripts/page-tests --screenshots

check: ## Format, lints and the small tests of the page, without the documentation
	@scripts/page
	cargo fmt --check
	shellcheck .ci/run scripts/*
	scripts/check-docker
	scripts/check-locks
	source scripts/env && cd api/web && npm run --silent types:check && npm run --silent lint && npm run --silent test && npm run --silent size
	cargo clippy --workspace --all-targets -- -D warnings

lint: ## check, and the documentation of every item builds without a warning
	@scripts/setup test
	@$(MAKE) --no-print-directory check
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

fmt: ## Format the code
	cargo fmt

bench: ## Benchmarks, on a PostgreSQL that keeps every commit (ARGS=--quick for a tenth)
	@scripts/setup test
	FRAMEFARM_TEST_PG_DURABLE=1 scripts/with-services cargo bench -p framefarm-api --bench claim --bench steps -- $(ARGS)

bench-dispatch: ## From the queue to a worker, beside other queues (ARGS="--only latency"; takes half an hour)
	scripts/bench-dispatch $(ARGS)

bench-events: ## Ten thousand watchers of one instance (ARGS="--videos 50" for a tenth)
	scripts/bench-events $(ARGS)

bench-manage: ## Every operation on a queue of ten thousand
	@scripts/setup test
	FRAMEFARM_TEST_PG_DURABLE=1 scripts/with-services cargo bench -p framefarm-api --bench manage

bench-encode: ## The encoder against ffmpeg commands, as paired ratios (ARGS=1080p, 4k or copy; takes long)
	scripts/bench-encode $(ARGS)

sim: ## Simulated farms with random faults: SEEDS=100 of them, or SEED=n to replay one
	@scripts/setup test
	FRAMEFARM_SIM_SEEDS=$(SEEDS) FRAMEFARM_SIM_SEED=$(SEED) \
	  scripts/with-services cargo test -p framefarm-api --test sim -- --nocapture

docs: ## Regenerate the generated pages: the API, the settings, the states
	scripts/generate docs/openapi.json openapi
	source scripts/env && npm --prefix api/web run --silent types
	scripts/generate docs/configuration.md config --reference
	scripts/generate docs/state-machine.md config --state-machine

deny: ## Licences, banned crates and sources (needs cargo-deny)
	cargo deny check licenses bans sources

advisories: ## Known vulnerabilities of crates and npm packages (needs cargo-deny and the network)
	scripts/advisories $(ARGS)

clean-data: ## Remove ./data: every video and job that `make run` keeps
	@printf 'remove %s? [y/N] ' $(DATA); read -r yes; if [ "$$yes" = y ]; then rm -rf $(DATA); else echo kept; fi

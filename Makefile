# Everything that people and CI run. `make` alone lists the targets.
#
# Each target does its own set-up: on Debian or Ubuntu it installs what is missing with apt (through
# sudo where needed) and says so; Rust itself must be there (https://rustup.rs).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
RUN := cargo run --release --quiet --

.PHONY: help demo test check bench docs-check dist setup setup-tools setup-dist

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: setup ## build, and run a flood over the bundled terrain (results in demo-results/)
	@echo "==> building"
	cargo build --release
	@echo "==> running the demo"
	$(RUN) demo --out demo-results

test: setup setup-tools ## every test
	cargo test --no-fail-fast

check: setup ## format, lints and documentation, as every commit must pass
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings -D missing-docs" cargo doc --no-deps --document-private-items

bench: setup ## speed of every rule, as a ratio to the machine's copy bandwidth
	$(RUN) bench

docs-check: setup setup-tools ## run every command that the README and the docs show; compare their tables
	cargo test --test docs_commands --test docs_tables --test docs_links

dist: setup-dist ## a release binary with GDAL and PROJ linked in: target/dist/inundate
	@echo "==> building with GDAL linked in (10 to 15 minutes the first time)"
	cargo build --release --features static-gdal
	mkdir -p target/dist
	strip -o target/dist/inundate target/release/inundate
	@ls -l target/dist/inundate

# $(call install,program or test,packages): installs packages if the test fails.
define install
	@if ! { $(1); } >/dev/null 2>&1; then \
		echo "==> installing $(2) (apt)"; \
		$(SUDO) apt-get update -q && $(SUDO) apt-get install -y -q --no-install-recommends $(2); \
	fi
endef

setup:
	@command -v cargo >/dev/null || { echo "Rust is missing: see https://rustup.rs"; exit 1; }
	$(call install,command -v cc && command -v pkg-config && pkg-config --exists gdal,gcc pkg-config libgdal-dev)

setup-tools:
	$(call install,command -v gdalwarp,gdal-bin)

setup-dist:
	$(call install,command -v cmake && command -v c++ && command -v sqlite3 && pkg-config --exists sqlite3,gcc g++ pkg-config cmake make libsqlite3-dev sqlite3)

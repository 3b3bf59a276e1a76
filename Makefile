# The two commands of the README are `make run` and `make test`; both install what they need.
CARGO ?= cargo

.PHONY: run test test-claude-code test-clients lint fmt bench hook install prove fuzz fuzz-api sdk sdk-types tools

# SQLite, 127.0.0.1, and one link to open. ARGS goes to `sekisho serve`.
ARGS ?=
run:
	$(CARGO) build --release --locked
	target/release/sekisho serve $(if $(filter false,$(SEKISHO_DEMO)),,--demo) $(ARGS)

test: tools lint
	$(CARGO) test --workspace --locked
	$(MAKE) sdk
	$(MAKE) test-claude-code

# Real agents from npm, offline, against a model that plays a script: the binaries are those the tests were built with.
test-claude-code:
	node e2e/clients/run.mjs --binaries target/debug --agent claude-code

# All four; about a gigabyte to fetch, and five minutes.
test-clients:
	$(CARGO) build --locked
	node e2e/clients/run.mjs --binaries target/debug

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

fmt:
	$(CARGO) fmt --all

bench:
	$(CARGO) run --release --manifest-path bench/Cargo.toml --bin policy
	$(CARGO) run --release --manifest-path bench/Cargo.toml --bin shell
	$(CARGO) run --release --manifest-path bench/Cargo.toml --no-default-features --features gate --bin gate
	$(CARGO) run --release --manifest-path bench/Cargo.toml --no-default-features --features gate --bin audit
	$(CARGO) build --release
	cd bench && $(CARGO) run --release --no-default-features --features server --bin server
	$(MAKE) hook
	cd bench/peers && npm ci --no-audit --no-fund --loglevel=error
	cd bench && $(CARGO) run --release --no-default-features --features hook --bin hook

# The hook as it should be installed: without a loader or a C library to load, it starts in a third of the time. Where the
# target cannot be had, the system's own C library is linked in.
HOOK_HOST := $(shell rustc -vV | sed -n 's/^host: //p')
HOOK_MUSL := $(subst -gnu,-musl,$(HOOK_HOST))
HOOK_BUILD = $(CARGO) build --locked --profile hook -p sekisho-hook --bin sekisho-hook --example exits
hook:
	if rustup target list --installed 2>/dev/null | grep -qx $(HOOK_MUSL) || rustup target add $(HOOK_MUSL) 2>/dev/null; then \
	  RUSTFLAGS="-C relocation-model=static" $(HOOK_BUILD) --target $(HOOK_MUSL) && built=target/$(HOOK_MUSL)/hook; \
	else \
	  RUSTFLAGS="-C target-feature=+crt-static" $(HOOK_BUILD) --target $(HOOK_HOST) && built=target/$(HOOK_HOST)/hook; \
	fi && mkdir -p target/release && \
	install -m 755 $$built/sekisho-hook target/release/sekisho-hook && install -m 755 $$built/examples/exits target/release/exits

# Both programs, side by side, where a shell finds them.
PREFIX ?= $(HOME)/.local
install:
	$(CARGO) build --release --locked -p sekisho
	$(MAKE) hook
	install -d $(PREFIX)/bin
	install -m 755 target/release/sekisho target/release/sekisho-hook $(PREFIX)/bin

# The long forms: hours if you like. Each count can be raised by its variable.
prove: export SEKISHO_PROOF_CASES ?= 1000000
prove: export SEKISHO_DIFFERENTIAL_CASES ?= 200000
prove: export SEKISHO_TRACED_CASES ?= 20000
prove: export SEKISHO_KILLS ?= 300
prove: export SEKISHO_RACES ?= 100000
prove: export SEKISHO_CHAOS_SECONDS ?= 60
prove: tools
	$(CARGO) test --workspace --locked
	$(MAKE) sdk fuzz-api
	bench/counts.sh
	$(MAKE) fuzz
	if command -v cargo-deny >/dev/null; then $(CARGO) deny check; else echo "cargo-deny is not installed: cargo install cargo-deny"; exit 1; fi

# cargo-fuzz needs a nightly compiler. FUZZ_SECONDS for each target.
FUZZ_SECONDS ?= 300
fuzz:
	for target in $$(cd fuzz && $(CARGO) +nightly fuzz list); do \
	  (cd fuzz && $(CARGO) +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS)) || exit 1; \
	done

# The TypeScript client, against the binary that the tests were built with. It needs Node 20 or newer.
sdk:
	$(CARGO) test --workspace --locked --no-run --quiet
	cd sdk/typescript && npm ci --no-audit --no-fund --loglevel=error && npm run -s all

# After a change of spec/openapi.json.
sdk-types:
	cd sdk/typescript && npm ci --no-audit --no-fund --loglevel=error && npm run -s types

# Requests made from the OpenAPI document, as each role: no 5xx, no status and no body that the document does not tell.
# FUZZ_EXAMPLES for each operation.
fuzz-api:
	$(CARGO) build --locked --bin sekisho
	e2e/fuzz-api.sh target/debug/sekisho

# What the tests run besides Rust and Node: bash, git, strace to watch both, unshare and ip to shut them in, a PostgreSQL server.
tools:
	@missing=""; \
	for tool in bash git strace unshare setpriv ip; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing postgresql"; \
	if [ -n "$$missing" ]; then \
	  echo "installing for the tests:$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then as=""; else as="sudo"; fi; \
	  $$as apt-get update -qq && $$as apt-get install -y -qq bash git strace util-linux iproute2 postgresql; \
	fi

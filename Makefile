# The two commands of the README are `make run` and `make test`; both install what they need.
CARGO ?= cargo

.PHONY: run test test-build test-beside test-crates test-programs test-page test-browser test-claude-code test-clients lint fmt bench hook install prove fuzz fuzz-api sdk sdk-types ui screenshots tools

# A first build keeps nothing for the next one, which makes it a fifth quicker. Whoever builds with cargo by hand has what it keeps.
ifeq ($(wildcard target/debug/incremental),)
export CARGO_INCREMENTAL ?= 0
endif

NPM_CI := npm ci --no-audit --no-fund --loglevel=error

# Node 20.19 or newer. Where there is only an older one, npm brings one that is.
NODE_SUITS := $(shell node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null && echo yes)
ifneq ($(NODE_SUITS),yes)
NODE := target/node/node_modules/node/bin/node
export PATH := $(CURDIR)/target/node/node_modules/node/bin:$(PATH)
endif
target/node/node_modules/node/bin/node:
	npm install --prefix target/node --no-audit --no-fund --loglevel=error node@22

# SQLite, 127.0.0.1, and one link to open. ARGS goes to `sekisho serve`.
ARGS ?=
run: ui
	$(CARGO) build --release --locked
	target/release/sekisho serve $(if $(filter false,$(SEKISHO_DEMO)),,--demo) $(ARGS)

# Everything, from nothing, in two halves of two jobs each: while the compiler works, what the tests need is fetched and the
# page is checked; then the crates are tested beside everything that runs the built programs. No test depends on speed.
test: ui
	+$(BESIDE) test-build test-beside
	+$(BESIDE) test-crates test-programs

# Two jobs at once.
BESIDE = $(MAKE) --no-print-directory -j 2
# The compiler takes all cores, not what is left of our two jobs.
ALONE := env -u MAKEFLAGS -u MFLAGS

test-build: lint
	$(ALONE) $(CARGO) test --workspace --locked --no-run

test-beside: tools ui sdk/typescript/node_modules/.package-lock.json e2e/browser/node_modules/.package-lock.json
	cd ui && npm run -s check && npm test --silent
	cd e2e/browser && npm run -s check
	node e2e/clients/run.mjs --get --agent claude-code

# Many tests wait most of the time, so there are more of them at once than there are cores. Tests of properties try the
# same examples each time, so that no change is blamed for what another run would have found; `make prove` tries others.
test-crates: export PROPTEST_RNG_SEED ?= 1
test-crates:
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$(($$(getconf _NPROCESSORS_ONLN) * 2))} $(ALONE) $(CARGO) test --workspace --locked --no-fail-fast

test-programs:
	cd sdk/typescript && npm run -s all
	cd e2e/browser && npm test --silent
	node e2e/clients/run.mjs --binaries target/debug --agent claude-code

# The page: its types, its logic, then the binary that the tests were built with in the system's Chromium.
test-page: ui test-browser
	cd ui && npm run -s check && npm test --silent

test-browser: e2e/browser/node_modules/.package-lock.json
	cd e2e/browser && npm run -s check && npm test --silent

# The page as the binary will carry it.
ui: ui/dist/index.html
PAGE := ui/index.html ui/vite.config.ts ui/svelte.config.js ui/scripts/pack.mjs $(shell find ui/src ui/public sdk/typescript/src -type f)
ui/dist/index.html: ui/node_modules/.package-lock.json $(PAGE)
	cd ui && npm run -s build
%/node_modules/.package-lock.json: %/package-lock.json | $(NODE)
	cd $* && $(NPM_CI)

# Pictures of every room, wide and narrow, light and dark, for the README and the guide. Their Japanese needs a font.
screenshots: ui e2e/browser/node_modules/.package-lock.json
	fc-list :lang=ja 2>/dev/null | grep -q . || $(INSTALL) fonts-ipafont-gothic fontconfig
	$(CARGO) build --locked --bin sekisho
	cd e2e/browser && npm run -s screenshots

# Real agents from npm, offline, against a model that plays a script: the binaries are those the tests were built with.
test-claude-code:
	node e2e/clients/run.mjs --binaries target/debug --agent claude-code

# All four; about a gigabyte to fetch, and five minutes.
test-clients:
	$(CARGO) build --locked
	node e2e/clients/run.mjs --binaries target/debug

# The second check builds the programs as they are shipped: without what only tests may use.
lint:
	$(CARGO) fmt --all --check
	$(ALONE) $(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(ALONE) $(CARGO) check --locked

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
	cd bench/peers && $(NPM_CI)
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
prove: export SEKISHO_READER_CASES ?= 20000
prove: export SEKISHO_GIT_CASES ?= 20000
prove: export SEKISHO_KILLS ?= 300
prove: export SEKISHO_RACES ?= 100000
prove: export SEKISHO_CHAOS_KILLS ?= 50
SEKISHO_COST_CASES ?= 5000
prove: tools
	$(CARGO) test --workspace --locked
	SEKISHO_COST_CASES=$(SEKISHO_COST_CASES) $(CARGO) test --release --locked -p sekisho-policy --test cost -- --nocapture --test-threads 1
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
	cd sdk/typescript && $(NPM_CI) && npm run -s all

# After a change of spec/openapi.json.
sdk-types:
	cd sdk/typescript && $(NPM_CI) && npm run -s types

# Requests made from the OpenAPI document, as each role: no 5xx, no status and no body that the document does not tell.
# FUZZ_EXAMPLES for each operation.
fuzz-api:
	$(CARGO) build --locked --bin sekisho
	e2e/fuzz-api.sh target/debug/sekisho

# What the tests run besides Rust and Node: bash, git, strace to watch both, unshare and ip to shut them in, openssl for a
# certificate, a PostgreSQL server, a browser.
INSTALL := $$(test "$$(id -u)" = 0 || echo sudo) apt-get install -y -qq
tools:
	@missing=""; \
	for tool in bash git strace unshare setpriv ip openssl; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing postgresql"; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing="$$missing chromium"; \
	if [ -n "$$missing" ]; then \
	  echo "installing for the tests:$$missing"; \
	  $$(test "$$(id -u)" = 0 || echo sudo) apt-get update -qq && $(INSTALL) bash git strace util-linux iproute2 openssl postgresql $$(echo "$$missing" | grep -o chromium); \
	fi

# The README's two commands are `make run` and `make test`; both install what they need.
CARGO ?= cargo

.PHONY: run test test-build test-beside test-crates test-programs test-page test-browser test-claude-code test-clients test-sdk lint fmt bench hook install prove fuzz fuzz-api sdk sdk-python sdk-types test-python ui screenshots tools

# A first build writes no incremental data, which makes it a fifth faster. If cargo was run by hand before, its incremental data is used.
ifeq ($(wildcard target/debug/incremental),)
export CARGO_INCREMENTAL ?= 0
endif

VENV := target/python/venv
NPM_CI := npm ci --no-audit --no-fund --loglevel=error

# Node 20.19 or newer. If the installed one is older, npm installs a newer one.
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

# Everything, from nothing. First the programs are compiled as they are shipped, while test tools are downloaded and the page is checked. Then the
# tests of the crates are compiled and run, while other suites run these programs. No test depends on speed.
test: ui
	+$(BESIDE) test-build test-beside
	+$(BESIDE) test-crates test-programs

# Two jobs at once.
BESIDE = $(MAKE) --no-print-directory -j 2

# Clippy compiles the crates of the workspace, so that dependencies need not be compiled a second time for the lints. Not for what is released:
# clippy switches optimizations of its own off. Without the variables of make, cargo uses all cores instead of the job slots of `make -j 2`.
LINTED := env -u MAKEFLAGS -u MFLAGS RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings

# Copied, because the tests of the crates build the same programs once more, with features for tests.
SHIPPED := $(CURDIR)/target/shipped
test-build:
	$(CARGO) fmt --all --check
	$(LINTED) $(CARGO) build --locked
	install -d $(SHIPPED)
	install -m 755 target/debug/sekisho target/debug/sekisho-hook target/debug/sekisho-sandbox $(SHIPPED)

test-beside: tools ui sdk/typescript/node_modules/.package-lock.json e2e/browser/node_modules/.package-lock.json e2e/mastra/node_modules/.package-lock.json
	-$(MAKE) --no-print-directory $(VENV)/.installed
	cd ui && npm run -s check && npm test --silent
	cd e2e/browser && npm run -s check
	cd e2e/mastra && npm run -s check
	node e2e/clients/run.mjs --get --agent claude-code

# Many tests mostly wait, so more of them run at once than there are cores. Property tests use a fixed seed, so that a failure
# belongs to the change under test; `make prove` uses others.
test-crates: export PROPTEST_RNG_SEED ?= 1
test-crates:
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$(($$(getconf _NPROCESSORS_ONLN) * 2))} $(LINTED) $(CARGO) test --workspace --locked --no-fail-fast

test-programs: export SEKISHO_BIN := $(SHIPPED)/sekisho
test-programs:
	cd sdk/typescript && npm run -s all
	@if [ -e $(VENV)/.installed ]; then $(MAKE) --no-print-directory test-python; \
	else echo "NOT TESTED: the Python client, because its tools could not be installed (see above)"; fi
	cd e2e/mastra && npm test --silent
	cd e2e/browser && npm test --silent
	node e2e/clients/run.mjs --binaries $(SHIPPED) --agent claude-code

# The page: types, logic, and the test binary in the system's Chromium.
test-page: ui test-browser
	cd ui && npm run -s check && npm test --silent

test-browser: e2e/browser/node_modules/.package-lock.json
	cd e2e/browser && npm run -s check && npm test --silent

# The page as it is embedded in the binary.
ui: ui/dist/index.html
PAGE := ui/index.html ui/vite.config.ts ui/svelte.config.js ui/scripts/pack.mjs $(shell find ui/src ui/public sdk/typescript/src -type f)
ui/dist/index.html: ui/node_modules/.package-lock.json $(PAGE)
	cd ui && npm run -s build
%/node_modules/.package-lock.json: %/package-lock.json | $(NODE)
	cd $* && $(NPM_CI)

# Screenshots of every screen, wide and narrow, light and dark, for the README and the guide. Japanese needs a font.
screenshots: ui e2e/browser/node_modules/.package-lock.json
	fc-list :lang=ja 2>/dev/null | grep -q . || $(INSTALL) fonts-ipafont-gothic fontconfig
	fc-list 2>/dev/null | grep -q JetBrains || $(INSTALL) fonts-inter fonts-jetbrains-mono fontconfig
	$(CARGO) build --locked --bin sekisho
	cd e2e/browser && npm run -s screenshots

# Real agents from npm, offline, against a scripted model, with the test binaries.
test-claude-code:
	node e2e/clients/run.mjs --binaries target/debug --agent claude-code

# All four agents: downloads about a gigabyte, takes five minutes. The Python frameworks: 400 MB, two minutes.
test-clients:
	$(CARGO) build --locked
	node e2e/clients/run.mjs --binaries target/debug
	$(MAKE) test-sdk
	sdk/python/frameworks/run.sh $(abspath $(VENV))

# The SDK's helpers in the real frameworks, and the examples; needs a built binary and downloads about 700 MB.
test-sdk: e2e/sdk/node_modules/.package-lock.json sdk/typescript/node_modules/.package-lock.json
	cd sdk/typescript && npm run -s build
	cd e2e/sdk && npm run -s check && npm test --silent

# The same lints without compiling, for use while working.
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
	cd bench && $(CARGO) run --release --no-default-features --features agent --bin agent
	$(CARGO) build --release
	cd bench && $(CARGO) run --release --no-default-features --features server --bin server
	cd bench && $(CARGO) run --release --no-default-features --features pipelines --bin pipelines
	$(MAKE) hook
	cd bench && $(CARGO) run --release --no-default-features --features sandbox --bin sandbox
	cd bench && $(CARGO) run --release --no-default-features --features search --bin search
	cd bench && $(CARGO) run --release --no-default-features --features html --bin html
	cd bench/peers && $(NPM_CI)
	cd bench && $(CARGO) run --release --no-default-features --features hook --bin hook

# The hook and the helper of the sandbox as they should be installed: static, so they start sooner. If the musl target cannot be installed, the
# system's C library is linked statically.
HOOK_HOST := $(shell rustc -vV | sed -n 's/^host: //p')
HOOK_MUSL := $(subst -gnu,-musl,$(HOOK_HOST))
HOOK_BUILD = $(CARGO) build --locked --profile hook -p sekisho-hook -p sekisho-sandbox --bin sekisho-hook --bin sekisho-sandbox --example exits
hook:
	if rustup target list --installed 2>/dev/null | grep -qx $(HOOK_MUSL) || rustup target add $(HOOK_MUSL) 2>/dev/null; then \
	  RUSTFLAGS="-C relocation-model=static" $(HOOK_BUILD) --target $(HOOK_MUSL) && built=target/$(HOOK_MUSL)/hook; \
	else \
	  RUSTFLAGS="-C target-feature=+crt-static" $(HOOK_BUILD) --target $(HOOK_HOST) && built=target/$(HOOK_HOST)/hook; \
	fi && mkdir -p target/release && \
	install -m 755 $$built/sekisho-hook $$built/sekisho-sandbox target/release && install -m 755 $$built/examples/exits target/release/exits

# Installs all three programs into the same directory. The server contains the page.
PREFIX ?= $(HOME)/.local
install: ui
	$(CARGO) build --release --locked -p sekisho
	$(MAKE) hook
	install -d $(PREFIX)/bin
	install -m 755 target/release/sekisho target/release/sekisho-hook target/release/sekisho-sandbox $(PREFIX)/bin

# The long versions of the tests; they may take hours. Each variable sets a number of cases.
prove: export SEKISHO_PROOF_CASES ?= 1000000
prove: export SEKISHO_DIFFERENTIAL_CASES ?= 200000
prove: export SEKISHO_AWK_CASES ?= 500000
prove: export SEKISHO_TRACED_CASES ?= 20000
prove: export SEKISHO_READER_CASES ?= 20000
prove: export SEKISHO_GIT_CASES ?= 20000
prove: export SEKISHO_KILLS ?= 300
prove: export SEKISHO_RUN_CASES ?= 1000000
prove: export SEKISHO_RACES ?= 100000
prove: export SEKISHO_CHAOS_KILLS ?= 50
prove: export SEKISHO_PIPELINES ?= 200
prove: export SEKISHO_LONG_RUN_STEPS ?= 300
SEKISHO_COST_CASES ?= 5000
prove: tools
	$(CARGO) test --workspace --locked
	SEKISHO_COST_CASES=$(SEKISHO_COST_CASES) $(CARGO) test --release --locked -p sekisho-policy --test cost -- --nocapture --test-threads 1
	$(MAKE) sdk fuzz-api
	$(MAKE) e2e/mastra/node_modules/.package-lock.json && cd e2e/mastra && npm test --silent
	bench/counts.sh
	$(CARGO) build --release --locked -p sekisho
	$(MAKE) hook
	bench/hook-counts.sh
	$(MAKE) fuzz
	if command -v cargo-deny >/dev/null; then $(CARGO) deny check; else echo "cargo-deny is not installed: cargo install cargo-deny"; exit 1; fi

# cargo-fuzz needs a nightly compiler. FUZZ_SECONDS is the time for each target.
FUZZ_SECONDS ?= 300
fuzz:
	for target in $$(cd fuzz && $(CARGO) +nightly fuzz list); do \
	  (cd fuzz && $(CARGO) +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS)) || exit 1; \
	done

# The TypeScript client, against the test binary. It needs Node 20 or newer.
sdk:
	$(CARGO) test --workspace --locked --no-run --quiet
	cd sdk/typescript && $(NPM_CI) && npm run -s all

# The Python client: the wheel in target/python/dist, checked and installed into an empty environment.
sdk-python: $(VENV)/.installed
	cd sdk/python && $(abspath $(VENV))/bin/python scripts/build_wheel.py $(abspath target/python/dist)

# Its types and its tests, against the test binary.
test-python: sdk-python
	cd sdk/python && $(abspath $(VENV))/bin/mypy && timeout 900 $(abspath $(VENV))/bin/pytest -q

# A Python environment, made again if what it needs has changed. Without a Python that can make one, the system's is installed.
PYTHON_SUITS := python3 -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))'
target/python/venv/.installed: sdk/python/requirements.txt
	@$(PYTHON_SUITS) 2>/dev/null || { $(APT_GET) update -qq && $(INSTALL) python3 python3-venv; }
	@$(PYTHON_SUITS) || { echo "Python 3.10 or newer with venv is needed, and the system's python3 is not"; exit 1; }
	python3 -m venv --clear target/python/venv
	target/python/venv/bin/pip install -q --disable-pip-version-check -r sdk/python/requirements.txt
	touch $@

# After a change of spec/openapi.json.
sdk-types:
	cd sdk/typescript && $(NPM_CI) && npm run -s types
	python3 sdk/python/scripts/generate.py

# Requests generated from the OpenAPI document, as each role: no 5xx, and no status or body that the document does not describe.
# FUZZ_EXAMPLES sets the number of requests for each operation.
fuzz-api:
	$(CARGO) build --locked --bin sekisho
	e2e/fuzz-api.sh target/debug/sekisho

# What the tests need besides Rust and Node: bash, git, strace to trace both, unshare and ip to isolate them, openssl for a
# certificate, a PostgreSQL server, a browser, Python.
APT_GET := $$(test "$$(id -u)" = 0 || echo sudo) apt-get
INSTALL := $(APT_GET) install -y -qq
tools:
	@missing=""; \
	for tool in bash git strace unshare setpriv ip openssl; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing postgresql"; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || missing="$$missing chromium"; \
	$(PYTHON_SUITS) 2>/dev/null || missing="$$missing python3-venv"; \
	if [ -n "$$missing" ]; then \
	  echo "installing for the tests:$$missing"; \
	  $(APT_GET) update -qq && $(INSTALL) bash git strace util-linux iproute2 openssl postgresql $$(echo "$$missing" | grep -oE 'chromium|python3-venv'); \
	fi

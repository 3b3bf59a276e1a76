# The two commands of the README are `make run` and `make test`; both install what they need.
CARGO ?= cargo

.PHONY: run test lint fmt bench prove fuzz tools

run:
	$(CARGO) build --release
	@echo
	@echo "sekisho is built: target/release/sekisho. It judges calls; nothing below is run."
	@echo
	-target/release/sekisho check read --input '{"path":"README.md"}'
	@echo
	-target/release/sekisho check bash 'git status --short && rm -rf build > /dev/null'
	@echo
	@echo "Next: target/release/sekisho check --help, and the README's first rules."

test: tools lint
	$(CARGO) test --workspace --locked

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

# The long forms: hours if you like. Each count can be raised by its variable.
prove: export SEKISHO_PROOF_CASES ?= 1000000
prove: export SEKISHO_DIFFERENTIAL_CASES ?= 200000
prove: export SEKISHO_TRACED_CASES ?= 20000
prove: export SEKISHO_KILLS ?= 300
prove: export SEKISHO_RACES ?= 100000
prove: tools
	$(CARGO) test --workspace --locked
	bench/counts.sh
	$(MAKE) fuzz
	if command -v cargo-deny >/dev/null; then $(CARGO) deny check; else echo "cargo-deny is not installed: cargo install cargo-deny"; exit 1; fi

# cargo-fuzz needs a nightly compiler. FUZZ_SECONDS for each target.
FUZZ_SECONDS ?= 300
fuzz:
	for target in $$(cd fuzz && $(CARGO) +nightly fuzz list); do \
	  (cd fuzz && $(CARGO) +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS)) || exit 1; \
	done

# What the tests run besides Rust: bash, git, strace to watch both, unshare to shut them in, a PostgreSQL server.
tools:
	@missing=""; \
	for tool in bash git strace unshare setpriv; do command -v $$tool >/dev/null || missing="$$missing $$tool"; done; \
	command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || missing="$$missing postgresql"; \
	if [ -n "$$missing" ]; then \
	  echo "installing for the tests:$$missing"; \
	  if [ "$$(id -u)" = 0 ]; then as=""; else as="sudo"; fi; \
	  $$as apt-get update -qq && $$as apt-get install -y -qq bash git strace util-linux postgresql; \
	fi

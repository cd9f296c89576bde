# Everything a contributor runs. `make demo` and `make test` set up what they need.
.PHONY: test lint
test:
	rm -f .cache/counts
	tools/counts rust tools/test-rust
lint:
	cargo clippy --locked -q -p samewire --all-targets -- -D warnings

# Everything a contributor runs. `make demo` and `make test` set up what they need.
.PHONY: test lint bench bench-rust bench-python bench-js bench-browsers
test:
	rm -f .cache/counts
	tools/counts rust tools/test-rust
lint:
	cargo clippy --locked -q -p samewire --all-targets -- -D warnings

# The races against the peers of each language; docs/benchmarks.md says how to read them. ARGS='--quick' is a smoke test.
bench:
	benches/run $(ARGS)
bench-rust bench-python bench-js bench-browsers:
	tools/$@ $(ARGS)

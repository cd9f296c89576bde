# Everything a contributor runs. `make demo` and `make test` set up what they need, in the project's own folders.
# ARGS reaches the script: `make bench-rust ARGS=--quick`, `make test ARGS=rust`.
.PHONY: demo test setup lint format conform fuzz miri asan bench bench-rust bench-python bench-js bench-browsers clean

demo test setup lint format conform fuzz miri asan:
	tools/$@ $(ARGS)

# The races against the peers of each language; docs/benchmarks.md says how to read them. ARGS='--quick' is a smoke test.
bench:
	benches/run $(ARGS)
bench-rust bench-python bench-js bench-browsers:
	tools/$@ $(ARGS)

clean:
	rm -rf target .venv .tools .cache node_modules dist report

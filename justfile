# Menu of common commands. Each is one line, so that it can be typed without `just` as well.

# Run everything that a change has to pass
check:
    .ci/run

# Format the code
fmt:
    cargo fmt --all

# Look for mistakes
lint:
    cargo clippy --locked --workspace --all-targets -- -D warnings

# Run the tests
test:
    cargo test --locked --workspace

# Build the documentation, private items included
doc:
    cargo doc --locked --workspace --no-deps --document-private-items

# Check licences, sources and advisories of the dependencies
deny:
    cargo deny check

# Print the figures of the source tree and check the rules
tidy:
    cargo xtask house && cargo test --locked --package xtask --test tidy

# Accept changed snapshots after review
bless:
    INSTA_UPDATE=always cargo test --locked --workspace

# Measure the cost of a test
bench:
    cargo xtask bench

# Search for inputs that break a promise: round_trip, rules or verdicts
fuzz target="round_trip":
    cargo +nightly fuzz run --features libfuzzer {{target}}

# Build the program for release
release:
    cargo build --locked --release --package boildown --features remote,lab,serve

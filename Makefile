# The face of the build; the build itself is meson's. Each target installs what it lacks (tools/install-deps).
# DuckDB is linked ready-made: tools/duckdb fetches it once a machine. build/weir loads it from build/tools/duckdb.d, so
# that linking takes a second; a release holds it.
#   make             builds build/weir
#   make quickstart  builds a release and ingests the example into ./quickstart
#   make test        the quick tests: under a minute, no network
#   make check       everything: unit, fuzz corpora, sanitizers, end to end; ends in "N passed, N failed, N skipped"
#   make fuzz        each fuzz target for MINUTES (1)
#   make soak        runs that are killed at random, KILLS (1000) times, then counted
#   make bench       rows a second and peak memory, beside others
#   make docs        the pages that are printed from the option tables
#   make release, make install (PREFIX), make format, make clean
BUILD ?= build
PREFIX ?= /usr/local

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/install-deps build
	@tools/configure $(BUILD) -Dtests=$$(pkg-config --exists cmocka && echo true || echo false)

test:
	@tools/install-deps test
	@tools/configure $(BUILD) -Dtests=true
	@ninja -C $(BUILD)
	@meson test -C $(BUILD) --suite quick --no-rebuild --print-errorlogs

check:
	@tools/check

quickstart:
	@tools/quickstart

bench: release
	@tools/install-deps check
	@WEIR_BIN=$(CURDIR)/build-release/weir tests/bench/run --setup

soak: all
	@tools/install-deps check
	@tools/venv
	@.venv/bin/python tests/e2e/soak_kills.py --kills $(or $(KILLS),1000)

fuzz:
	@tools/install-deps fuzz
	@tools/fuzz $(or $(MINUTES),1)

docs: all
	@tools/gen-docs

format:
	@tools/install-deps format
	@git ls-files 'src/*.[ch]' 'tests/*.[ch]' | xargs clang-format -i

# One file that needs nothing but the C library; DuckDB makes it 63 MB, 52 MB stripped: it starts in half the time and moves to any machine.
release:
	@tools/install-deps release
	@tools/configure build-release -Dbuildtype=release -Dprefer_static=true -Dtests=false
	@ninja -C build-release --quiet

install: release
	@tools/configure build-release -Dprefix=$(PREFIX) -Dstrip=true
	@meson install -C build-release --quiet
	@echo "installed $(DESTDIR)$(PREFIX)/bin/weir"

clean:
	@rm -rf build build-* quickstart

.PHONY: all test check quickstart bench soak fuzz docs format release install clean

# The face of the build: `make quickstart`, `make check`, `make test`, `make bench`. The build itself is meson's.
BUILD ?= build

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@tools/install-deps build
	@meson setup $(BUILD)

test: all
	@meson test -C $(BUILD) --suite quick --no-rebuild --print-errorlogs

.PHONY: all test

# SPDX-License-Identifier: GPL-2.0-only
#
#   make                 build everything below build/
#   make filters         only the filters: needs no tracing library
#   sudo make demo       install what is missing, build, record two seconds, fold, draw
#   sudo make check      install what the tests need, build, run all tests
#   make install         PREFIX (default /usr/local), DESTDIR
#   make bench fuzz format golden clean uninstall
#
# SAN=address,undefined builds with sanitizers into a folder of its own; CC=clang works as well.

VERSION := 0.1.0

FILTERS  := mp-fold mp-order
PROGRAMS := mp-record $(FILTERS)

PREFIX  ?= /usr/local
BINDIR  := $(DESTDIR)$(PREFIX)/bin
MANDIR  := $(DESTDIR)$(PREFIX)/share/man
BASHDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR  := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

comma := ,
BUILD_ROOT := build
BUILD ?= $(BUILD_ROOT)$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))$(if $(filter-out cc gcc,$(CC)),/$(notdir $(CC)))
BIN   := $(BUILD)/bin

CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
override CFLAGS   += -std=gnu11 $(WARNINGS) -pthread $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
override CPPFLAGS += -I. -D_GNU_SOURCE -DMP_VERSION='"$(VERSION)"' -MMD -MP
override LDFLAGS  += -pthread $(if $(SAN),-fsanitize=$(SAN))

LIB_SRC     := $(wildcard lib/*.c)
CAPTURE_SRC := $(wildcard lib/capture/*.c)
UNIT_SRC    := $(wildcard tests/unit/*.c)
FUZZ_SRC    := $(wildcard tests/fuzz/*.c)
LIB_OBJ     := $(LIB_SRC:%.c=$(BUILD)/%.o)
CAPTURE_OBJ := $(CAPTURE_SRC:%.c=$(BUILD)/%.o)
UNIT        := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)

# --- libraries: pkg-config, and libperf from the kernel's source where there is no package ---------------

FILTER_PC  := jansson libxxhash
CAPTURE_PC := libtraceevent libelf libdw liblzma libbpf
PKG_CONFIG ?= pkg-config

FILTER_CFLAGS  = $(shell $(PKG_CONFIG) --cflags $(FILTER_PC))
FILTER_LIBS    = $(shell $(PKG_CONFIG) --libs jansson) -lm
CAPTURE_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(CAPTURE_PC)) $(LIBPERF_CFLAGS)
CAPTURE_LIBS   = $(shell $(PKG_CONFIG) --libs $(CAPTURE_PC)) $(LIBPERF_LIBS) -liberty

LIBPERF := $(BUILD_ROOT)/libperf
ifeq ($(shell $(PKG_CONFIG) --exists libperf && echo yes),yes)
LIBPERF_CFLAGS = $(shell $(PKG_CONFIG) --cflags libperf)
LIBPERF_LIBS   = $(shell $(PKG_CONFIG) --libs libperf)
LIBPERF_DEP    =
else
LIBPERF_CFLAGS = -isystem $(LIBPERF)/include
LIBPERF_LIBS   = $(LIBPERF)/lib/libperf.a $(LIBPERF)/lib/libapi.a
LIBPERF_DEP    = $(LIBPERF)/lib/libapi.a
endif

.PHONY: all filters programs check demo bench fuzz format golden install uninstall clean \
	deps-build deps-demo deps-check unit lint
.DELETE_ON_ERROR:

all: $(PROGRAMS:%=$(BIN)/%) $(BIN)/mp-example
filters: $(FILTERS:%=$(BIN)/%)

# One line for each library that is missing, with the Debian package that has it.
have = @missing=; for pc in $(1); do $(PKG_CONFIG) --exists $$pc || missing="$$missing $$pc"; done; \
	if [ -n "$$missing" ]; then \
		echo "missing:$$missing (on Debian: sudo apt-get install $(2))" >&2; exit 1; fi; \
	mkdir -p $(@D); touch $@

$(BUILD)/.have-filters:
	$(call have,$(FILTER_PC),pkg-config libjansson-dev libxxhash-dev)

$(BUILD)/.have-capture: | $(BUILD)/.have-filters
	@[ -e /usr/include/libiberty/demangle.h ] || [ -e /usr/include/demangle.h ] || \
		{ echo "missing: libiberty (on Debian: sudo apt-get install libiberty-dev)" >&2; exit 1; }
	$(call have,$(CAPTURE_PC),libtraceevent-dev libelf-dev libdw-dev liblzma-dev libbpf-dev)

LINUX_SOURCE = $(lastword $(sort $(wildcard /usr/src/linux-source-*.tar.xz)))
PERF_DIRS = lib/perf lib/api lib/*.c include arch/*/include scripts build

$(LIBPERF)/lib/libapi.a:
	@if [ -z "$(LINUX_SOURCE)" ]; then \
		echo "missing: libperf (on Debian: sudo apt-get install linux-source-6.1; Fedora: libperf-devel)" >&2; \
		exit 1; fi
	@echo "building libperf from $(LINUX_SOURCE)"
	@rm -rf $(LIBPERF)/src && mkdir -p $(LIBPERF)/src $(LIBPERF)/lib
	@tar -xf $(LINUX_SOURCE) -C $(LIBPERF)/src --strip-components=1 --wildcards \
		$(foreach d,$(PERF_DIRS),'*/tools/$(d)$(if $(suffix $(d)),,/*)')
	@env -u MAKEFLAGS -u MFLAGS -u CFLAGS $(MAKE) -s -C $(LIBPERF)/src/tools/lib/perf CC=cc \
		prefix=$(abspath $(LIBPERF)) libdir=$(abspath $(LIBPERF))/lib \
		install_lib install_headers > $(LIBPERF)/build.log 2>&1 || \
		{ cat $(LIBPERF)/build.log >&2; exit 1; }
	@mv $(LIBPERF)/src/tools/lib/api/libapi.a $@
	@rm -rf $(LIBPERF)/src $(LIBPERF)/lib/*.so*

# --- objects and programs --------------------------------------------------------------------------------

$(BUILD)/lib/%.o: lib/%.c | $(BUILD)/.have-filters
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/lib/capture/%.o: lib/capture/%.c $(LIBPERF_DEP) | $(BUILD)/.have-capture
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CAPTURE_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/cmd/mp-record.o: cmd/mp-record.c $(LIBPERF_DEP) | $(BUILD)/.have-capture
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CAPTURE_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/cmd/%.o: cmd/%.c | $(BUILD)/.have-filters
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/docs/%.o: docs/%.c | $(BUILD)/.have-filters
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/libmp.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/libcapture.a: $(CAPTURE_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BIN)/mp-record: $(BUILD)/cmd/mp-record.o $(BUILD)/libcapture.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(CAPTURE_LIBS) $(FILTER_LIBS)

$(FILTERS:%=$(BIN)/%): $(BIN)/%: $(BUILD)/cmd/%.o $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(FILTER_LIBS)

$(BIN)/mp-example: $(BUILD)/docs/mp-example.o $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(FILTER_LIBS)

clean:
	rm -rf $(BUILD_ROOT)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# SPDX-License-Identifier: GPL-2.0-only
#
#   make                 build everything below build/
#   make filters         only the filters: needs no tracing library
#   make demo            as root: install what is missing, build, record two seconds, draw
#   make check           as root: install what the tests need, build, run all tests
#   make install         PREFIX (default /usr/local), DESTDIR
#   make deb dist        Debian packages, and an archive of the source, below build/
#   make bench fuzz format golden messages images clean uninstall
#
# SAN=address,undefined builds with sanitizers into a folder of its own; CC=clang works as well. So does make filters STATIC=1,
# whose programs need no library, for machines where none can be installed.

VERSION := 0.2.0

PKG_CONFIG ?= pkg-config
# mp-srcline is built where libdw is, and is not one of `make filters`
HAVE_LIBDW := $(shell $(PKG_CONFIG) --exists libdw 2> /dev/null && echo yes)
# mp-export is built where protobuf-c and its compiler are, and is not one of `make filters` either; mp-import reads pprof there
PROTOC_C ?= protoc-c
HAVE_PROTOBUF := $(shell $(PKG_CONFIG) --exists libprotobuf-c 2> /dev/null && command -v $(PROTOC_C) > /dev/null && echo yes)
SCRIPTS  := mp-fleet
PROGRAMS := $(SCRIPTS) $(filter-out $(if $(HAVE_LIBDW),,mp-srcline) $(if $(HAVE_PROTOBUF),,mp-export),$(patsubst cmd/%.c,%,$(wildcard cmd/*.c)))
FILTERS  := $(filter-out mp-record mp-srcline mp-export $(SCRIPTS),$(PROGRAMS))
EXAMPLES := $(patsubst docs/%.c,%,$(wildcard docs/mp-example*.c))

PREFIX  ?= /usr/local
BINDIR  := $(DESTDIR)$(PREFIX)/bin
MANDIR  := $(DESTDIR)$(PREFIX)/share/man
BASHDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR  := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
COLLDIR := $(DESTDIR)$(PREFIX)/share/mp/collectors

comma := ,
BUILD_ROOT := build
BUILD ?= $(BUILD_ROOT)$(if $(SAN),/san-$(subst $(comma),-,$(SAN)))$(if $(STATIC),/static)$(if $(filter-out cc gcc,$(CC)),/$(notdir $(CC)))
# below the source, relative: the names of objects are those in their .d files, whoever gives BUILD, as `make BUILD=$PWD/build`
override BUILD := $(patsubst ./%,%,$(patsubst $(CURDIR)/%,%,$(patsubst %/,%,$(BUILD))))
BIN   := $(BUILD)/bin

CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes
override CFLAGS   += -std=gnu11 $(WARNINGS) -pthread $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
override CPPFLAGS += -I. -D_GNU_SOURCE -MMD -MP $(if $(HAVE_PROTOBUF),-DMP_HAVE_PROTOBUF)
override LDFLAGS  += -pthread $(if $(STATIC),-static) $(if $(SAN),-fsanitize=$(SAN))

SRCLINE_SRC := $(wildcard lib/srcline/*.c)
EXPORT_SRC  := $(wildcard lib/export/*.c)
EXPORT_PB   := $(patsubst %.proto,$(BUILD)/%.pb-c.h,$(wildcard lib/export/*.proto))
PPROF_PB    := $(BUILD)/lib/pprof/pprof.pb-c.h
LIB_SRC     := $(filter-out $(SRCLINE_SRC) $(EXPORT_SRC) $(if $(HAVE_PROTOBUF),,lib/import/pprof.c),$(wildcard lib/*/*.c))
CAPTURE_SRC := $(wildcard lib/capture/*/*.c)
UNIT_SRC    := $(shell find tests/unit -name '*.c')
LOAD_SRC    := $(wildcard tests/load/*.c)
HOSTILE_SRC := $(wildcard tests/hostile/*.c)
TOOL_SRC    := $(wildcard tests/tools/*.c)
FUZZ_SRC    := $(shell find tests/fuzz -mindepth 2 -name '*.c')
LIB_OBJ     := $(LIB_SRC:%.c=$(BUILD)/%.o) $(if $(HAVE_PROTOBUF),$(PPROF_PB:.h=.o))
SRCLINE_OBJ := $(SRCLINE_SRC:%.c=$(BUILD)/%.o)
EXPORT_OBJ  := $(EXPORT_SRC:%.c=$(BUILD)/%.o) $(EXPORT_PB:.h=.o)
CAPTURE_OBJ := $(CAPTURE_SRC:%.c=$(BUILD)/%.o)
UNIT        := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/unit/%)

# --- libraries: pkg-config, and libperf from the kernel's source where there is no package ---------------

FILTER_PC  := jansson libxxhash zlib libzstd
CAPTURE_PC := libtraceevent libelf liblzma libbpf libseccomp
SRCLINE_PC := libdw libelf
ORACLE_PC  := libdw

# the answer of pkg-config, once for each make
pc = $(shell $(PKG_CONFIG) $(1) 2> /dev/null)
FILTER_CFLAGS  := $(call pc,--cflags $(FILTER_PC))
SRCLINE_LIBS   := $(call pc,--libs $(SRCLINE_PC)) -liberty
PROTOBUF_CFLAGS := $(call pc,--cflags libprotobuf-c)
PROTOBUF_LIBS  := $(if $(HAVE_PROTOBUF),-Wl$(comma)--as-needed $(call pc,$(if $(STATIC),--static) --libs libprotobuf-c) -Wl$(comma)--no-as-needed)
FILTER_LIBS    := $(call pc,$(if $(STATIC),--static) --libs jansson zlib libzstd) $(PROTOBUF_LIBS) -lm

LIBPERF := $(BUILD_ROOT)/libperf
ifeq ($(shell $(PKG_CONFIG) --exists libperf 2> /dev/null && echo yes),yes)
LIBPERF_CFLAGS := $(call pc,--cflags libperf)
LIBPERF_LIBS   := $(call pc,--libs libperf)
LIBPERF_DEP    =
else
LIBPERF_CFLAGS = -isystem $(LIBPERF)/include
LIBPERF_LIBS   = $(LIBPERF)/lib/libperf.a $(LIBPERF)/lib/libapi.a
LIBPERF_DEP    = $(LIBPERF)/lib/libapi.a
endif
CAPTURE_CFLAGS := $(call pc,--cflags $(CAPTURE_PC)) $(LIBPERF_CFLAGS)
CAPTURE_LIBS   := $(call pc,--libs $(CAPTURE_PC)) $(LIBPERF_LIBS) -liberty

.PHONY: all filters check demo images bench fuzz fuzzers format golden messages install uninstall clean \
	deb dist deps-build deps-check deps-coverage deps-deb coverage unit test-programs
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PROGRAMS:%=$(BIN)/%) $(EXAMPLES:%=$(BIN)/%) collectors
	$(say-without-bpf)
	$(say-without-libdw)
	$(say-without-protobuf)
filters: $(FILTERS:%=$(BIN)/%) $(if $(STATIC),,$(SCRIPTS:%=$(BIN)/%))

# mp-record looks for collectors in ../share of its own folder: PREFIX/share, or this one
COLLECTORS := $(wildcard lib/collectors/*)
SHARE := $(BUILD)/share/mp/collectors
.PHONY: collectors
collectors: $(COLLECTORS:lib/collectors/%=$(SHARE)/%)
$(SHARE)/%: lib/collectors/%
	@mkdir -p $(@D)
	@cp $< $@

# Fails with a line that names the missing libraries and the Debian packages that have them.
have = @missing=; for pc in $(1); do $(PKG_CONFIG) --exists $$pc || missing="$$missing $$pc"; done; \
	if [ -n "$$missing" ]; then \
		echo "missing:$$missing (on Debian, as root: apt-get install $(2))" >&2; exit 1; fi; \
	mkdir -p $(@D); touch $@

$(BUILD)/.have-filters:
	$(call have,$(FILTER_PC),pkg-config libjansson-dev libxxhash-dev zlib1g-dev libzstd-dev)

$(BUILD)/.have-capture: | $(BUILD)/.have-filters
	@[ -e /usr/include/libiberty/demangle.h ] || [ -e /usr/include/demangle.h ] || \
		{ echo "missing: libiberty (on Debian, as root: apt-get install libiberty-dev)" >&2; exit 1; }
	$(call have,$(CAPTURE_PC),libtraceevent-dev libelf-dev liblzma-dev libbpf-dev libseccomp-dev)

$(BUILD)/.have-oracle:
	$(call have,$(ORACLE_PC),libdw-dev)

LINUX_SOURCE = $(lastword $(sort $(wildcard /usr/src/linux-source-*.tar.xz)))
PERF_DIRS = lib/perf lib/api lib/*.c include arch/*/include scripts build

$(LIBPERF)/lib/libapi.a:
	@if [ -z "$(LINUX_SOURCE)" ]; then \
		echo "missing: libperf (on Debian, as root: apt-get install linux-source-6.1; Fedora: libperf-devel)" >&2; \
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

# "CC lib/order/run.o", or with V=1 the whole command
show = $(if $(V),,@echo $(1) $(@:$(BUILD)/%=%) && )

say-without-libdw = $(if $(HAVE_LIBDW),,@echo "libdw not found: mp-srcline was not built \
	(on Debian, as root: apt-get install libdw-dev; then make again)" >&2)

say-without-protobuf = $(if $(HAVE_PROTOBUF),,@echo "protobuf-c not found: mp-export was not built, and mp-import does not read pprof \
	(on Debian, as root: apt-get install protobuf-c-compiler libprotobuf-c-dev; then make again)" >&2)

# --- objects and programs --------------------------------------------------------------------------------

$(BUILD)/lib/%.o: lib/%.c | $(BUILD)/.have-filters
	@mkdir -p $(@D)
	$(call show,CC)$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CFLAGS) -c -o $@ $<

# what has the version in it is built again when that changes
VERSIONED := $(addprefix $(BUILD)/lib/,core/opt.o export/firefox.o export/speedscope.o)
.PHONY: FORCE
$(BUILD)/version: FORCE
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' > $@
$(VERSIONED): $(BUILD)/version
$(VERSIONED): override CPPFLAGS += -DMP_VERSION='"$(VERSION)"'

# the assembler includes scripts in these objects
$(addprefix $(BUILD)/lib/,heatmap/heatdata.o flame/flamehtml.o page/pagehtml.o stackplot/stackdraw.o timeline/timelinehtml.o): \
	$(wildcard lib/*/*.js lib/*/*.html)

# what 'mp help' finds: in the man pages; between equals their order decides
PAGES := $(sort $(wildcard docs/*.1 docs/*.7 formats/*.5))
$(BUILD)/help.txt: lib/help/index.awk $(PAGES)
	@mkdir -p $(@D)
	$(call show,AWK)LC_ALL=C awk -f lib/help/index.awk $(PAGES) > $@
$(BUILD)/lib/help/index.o: $(BUILD)/help.txt
$(BUILD)/lib/help/index.o: override CPPFLAGS += -DMP_HELP_FILE='"$(BUILD)/help.txt"'

$(BUILD)/lib/capture/%.o: lib/capture/%.c $(LIBPERF_DEP) | $(BUILD)/.have-capture
	@mkdir -p $(@D)
	$(call show,CC)$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CAPTURE_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/syscalls.inc: Makefile
	@mkdir -p $(@D)
	@echo '#include <asm/unistd.h>' | $(CC) -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/CALL(\1)/p' | sort > $@
$(BUILD)/lib/core/syscalls.o: $(BUILD)/syscalls.inc
$(BUILD)/lib/core/syscalls.o: override CPPFLAGS += -I$(BUILD)

# BPF programs need clang; without it mp-record does in user space what it can (docs/decisions.md)
CLANG ?= clang
HAVE_CLANG := $(shell command -v $(CLANG) 2>/dev/null)
say-without-bpf = $(if $(HAVE_CLANG),,@echo "$(CLANG) not found: built without BPF: user stacks of tracepoints will be truncated, \
	and in-kernel aggregation is not available (on Debian, as root: apt-get install clang; then make again)" >&2)
BPF_SRC := $(wildcard bpf/*.bpf.c)
BPF_OBJ := $(if $(HAVE_CLANG),$(BPF_SRC:%.c=$(BUILD)/%.o))
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c | $(BUILD)/.have-capture
	@mkdir -p $(@D)
	$(call show,BPF)$(CLANG) -target bpf -O2 -g -Wall -Wextra -ffile-prefix-map=$(CURDIR)=. -I. \
		-idirafter /usr/include/$(MULTIARCH) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<

$(BUILD)/lib/capture/bpf/bpf.o: $(BPF_OBJ)
$(BUILD)/lib/capture/bpf/bpf.o: override CPPFLAGS += $(if $(HAVE_CLANG),-DMP_BPF_FOLDER='"$(BUILD)/bpf"' \
	-D'MP_BPF_OBJECTS(ROW)=$(foreach name,$(BPF_SRC:bpf/%.bpf.c=%),ROW($(name)))')

$(BUILD)/cmd/mp-record.o: cmd/mp-record.c $(LIBPERF_DEP) | $(BUILD)/.have-capture
	@mkdir -p $(@D)
	$(call show,CC)$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CAPTURE_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/cmd/%.o: cmd/%.c | $(BUILD)/.have-filters
	@mkdir -p $(@D)
	$(call show,CC)$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/docs/%.o: docs/%.c | $(BUILD)/.have-filters
	@mkdir -p $(@D)
	$(call show,CC)$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/libmp.a: $(LIB_OBJ)
	@rm -f $@
	$(call show,AR)$(AR) qcs $@ $^

$(BUILD)/libcapture.a: $(CAPTURE_OBJ)
	@rm -f $@
	$(call show,AR)$(AR) qcs $@ $^

$(BIN)/mp-record: $(BUILD)/cmd/mp-record.o $(BUILD)/libcapture.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(CAPTURE_LIBS) $(FILTER_LIBS)

$(BUILD)/libsrcline.a: $(SRCLINE_OBJ)
	@rm -f $@
	$(call show,AR)$(AR) qcs $@ $^

$(BIN)/mp-srcline: $(BUILD)/cmd/mp-srcline.o $(BUILD)/libsrcline.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(SRCLINE_LIBS) $(FILTER_LIBS)

# schemas: a .c and a .h for each
$(BUILD)/lib/%.pb-c.c $(BUILD)/lib/%.pb-c.h: lib/%.proto
	@mkdir -p $(@D)
	$(call show,PROTOC)$(PROTOC_C) --proto_path=$(<D) --c_out=$(@D) $<
$(BUILD)/lib/%.pb-c.o: $(BUILD)/lib/%.pb-c.c | $(BUILD)/.have-filters
	$(call show,CC)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(EXPORT_OBJ) $(BUILD)/lib/import/pprof.o: $(EXPORT_PB) $(PPROF_PB)
$(EXPORT_OBJ) $(BUILD)/lib/import/pprof.o $(PPROF_PB:.h=.o): override CPPFLAGS += -I$(BUILD) $(PROTOBUF_CFLAGS)

$(BUILD)/libexport.a: $(EXPORT_OBJ)
	@rm -f $@
	$(call show,AR)$(AR) qcs $@ $^

$(BIN)/mp-export: $(BUILD)/cmd/mp-export.o $(BUILD)/libexport.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(FILTER_LIBS)

$(FILTERS:%=$(BIN)/%): $(BIN)/%: $(BUILD)/cmd/%.o $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(FILTER_LIBS)

$(SCRIPTS:%=$(BIN)/%): $(BIN)/%: cmd/% $(BUILD)/version
	@mkdir -p $(@D)
	$(call show,SED)sed 's/@VERSION@/$(VERSION)/' $< > $@ && chmod 755 $@

# for tests/layout
.PHONY: print-libs
print-libs:
	@echo $(CAPTURE_LIBS) $(FILTER_LIBS)

$(EXAMPLES:%=$(BIN)/%): $(BIN)/%: $(BUILD)/docs/%.o $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(FILTER_LIBS)

# --- tests ------------------------------------------------------------------------------------------------

# what only tests run is compiled without optimization, which takes a third of the time
$(BUILD)/tests/%.o: override CFLAGS := $(CFLAGS:-O2=-O0)
$(BUILD)/tests/%.o: tests/%.c | $(BUILD)/.have-filters
	@mkdir -p $(@D)
	$(call show,CC)$(CC) $(CPPFLAGS) $(FILTER_CFLAGS) $(CFLAGS) -c -o $@ $<

$(BUILD)/tests/unit/capture/%.o $(BUILD)/tests/fuzz/capture/%.o $(BUILD)/tests/tools/%.o \
	$(BUILD)/tests/takeover/%.o: override CPPFLAGS += $(CAPTURE_CFLAGS)

$(filter-out $(BUILD)/unit/capture/%,$(UNIT)): $(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(FILTER_LIBS)

# unit tests below capture/ link libcapture.a too
$(filter $(BUILD)/unit/capture/%,$(UNIT)): $(BUILD)/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/libcapture.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(CAPTURE_LIBS) $(FILTER_LIBS)

# one of them compares with libdw
$(BUILD)/tests/unit/capture/object/cfi.o: | $(BUILD)/.have-oracle
$(BUILD)/unit/capture/object/cfi: CAPTURE_LIBS += $(call pc,--libs $(ORACLE_PC))

$(BUILD)/tools/%: $(BUILD)/tests/tools/%.o $(BUILD)/libcapture.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) -o $@ $^ $(CAPTURE_LIBS) $(FILTER_LIBS)

# an mp-record whose writer was taken over, or whose calls fail
WRAPPED = mp_elfsym_find mp_queue_pop mmap mp_sandbox_start mp_writer_main mp_tp_parse malloc calloc realloc read pread recvmsg
$(BUILD)/takeover/mp-record: $(BUILD)/cmd/mp-record.o $(BUILD)/tests/takeover/takeover.o $(BUILD)/tests/takeover/faults.o $(BUILD)/tests/takeover/plain.o \
		$(BUILD)/libcapture.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $^ $(CAPTURE_LIBS) $(FILTER_LIBS)

# programs that make a known load
$(BUILD)/load/%: tests/load/%.c tests/load/cpu.h
	@mkdir -p $(@D)
	$(call show,CC)$(CC) -I. -O2 -g -fno-omit-frame-pointer $(WARNINGS) -D_GNU_SOURCE -pthread -o $@ $< -lm

# programs that attack a recording beside them
$(BUILD)/hostile/%: tests/hostile/%.c tests/hostile/ready.h
	@mkdir -p $(@D)
	$(call show,CC)$(CC) -I. -O2 -g $(WARNINGS) -D_GNU_SOURCE -pthread -o $@ $<

# loaded into a program by a test
PRELOAD := $(patsubst tests/preload/%.c,$(BUILD)/preload/%.so,$(wildcard tests/preload/*.c))
$(BUILD)/preload/%.so: tests/preload/%.c
	@mkdir -p $(@D)
	$(call show,LD)$(CC) -O2 -g $(WARNINGS) -D_GNU_SOURCE -shared -fPIC -o $@ $<

unit: $(UNIT)
test-programs: all unit $(LOAD_SRC:tests/load/%.c=$(BUILD)/load/%) $(HOSTILE_SRC:tests/hostile/%.c=$(BUILD)/hostile/%) \
	$(TOOL_SRC:tests/tools/%.c=$(BUILD)/tools/%) $(BUILD)/takeover/mp-record \
	$(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/replay/%) $(PRELOAD)

check: deps-check
	@$(MAKE) -s -j$$(nproc) --no-print-directory test-programs $(if $(HAVE_VM),$(VM_KERNEL)/complete)
	@BUILD='$(abspath $(BUILD))' VM_KERNEL='$(abspath $(VM_KERNEL))' NPM='$(abspath $(NPM))' tests/run $(T)

# rewrites the expected output of golden cases, in all files or in those of T: read the diff
golden: all
	@BUILD='$(abspath $(BUILD))' tests/golden/run --write $(T)

# rewrites the list of all messages: read the diff
messages:
	@mkdir -p $(BUILD_ROOT)
	@tests/messages > $(BUILD_ROOT)/messages.txt && mv $(BUILD_ROOT)/messages.txt tests/messages.txt

bench: deps-check
	@$(MAKE) -s --no-print-directory test-programs
	@BUILD='$(abspath $(BUILD))' tests/bench/run $(T)

# prints how many lines the tests run, by folder; T as for check
COVERAGE := $(BUILD_ROOT)/coverage
coverage: deps-coverage
	@$(MAKE) --no-print-directory BUILD=$(COVERAGE) CFLAGS='-O1 -g --coverage -fprofile-update=atomic' \
		LDFLAGS=--coverage test-programs
	@find $(COVERAGE) -name '*.gcda' -delete
	@BUILD='$(abspath $(COVERAGE))' VM_KERNEL='$(abspath $(VM_KERNEL))' NPM='$(abspath $(NPM))' tests/run $(T) || \
		echo 'some tests failed: a program that writes its counters as another user does so on stderr'
	@gcovr -r . --object-directory $(COVERAGE) -f lib/ -f cmd/ --json-summary $(COVERAGE)/summary.json $(COVERAGE)
	@jq -r '.files[] | [.filename, .line_covered, .line_total] | @tsv' $(COVERAGE)/summary.json | \
		awk '{ sub("/[^/]*$$", "", $$1); a[$$1] += $$2; b[$$1] += $$3; a["all"] += $$2; b["all"] += $$3 } \
		     END { for (f in b) printf "%-24s %5d of %5d lines  %5.1f %%\n", f, a[f], b[f], 100 * a[f] / b[f] }' | sort

# FUZZ_SECONDS for each target
FUZZ_SECONDS ?= 60
FUZZ_BUILD   := $(BUILD_ROOT)/fuzz
fuzz: deps-check
	@$(MAKE) --no-print-directory CC=clang BUILD=$(FUZZ_BUILD) SAN=fuzzer-no-link,address,undefined fuzzers
	@$(MAKE) --no-print-directory BUILD=$(BUILD_ROOT) $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD_ROOT)/replay/%)
	@FUZZERS=$(FUZZ_BUILD)/fuzzers REPLAYS=$(BUILD_ROOT)/replay SECONDS_EACH=$(FUZZ_SECONDS) tests/fuzz/run $(T)

fuzzers: $(FUZZ_SRC:tests/fuzz/%.c=$(BUILD)/fuzzers/%)
# limits.c is called in place of the target, and calls it
FUZZ_WRAP := -Wl,--wrap=LLVMFuzzerTestOneInput
$(BUILD)/replay/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/replay.o $(BUILD)/tests/fuzz/limits.o $(BUILD)/libcapture.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) $(FUZZ_WRAP) -o $@ $^ $(CAPTURE_LIBS) $(FILTER_LIBS)
$(BUILD)/fuzzers/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/tests/fuzz/limits.o $(BUILD)/libcapture.a $(BUILD)/libmp.a
	@mkdir -p $(@D)
	$(call show,LD)$(CC) $(LDFLAGS) $(FUZZ_WRAP) -fsanitize=fuzzer -o $@ $^ $(CAPTURE_LIBS) $(FILTER_LIBS)

demo: deps-build
	@$(MAKE) -s --no-print-directory all $(BUILD)/load/demo
	@BUILD='$(abspath $(BUILD))' tests/demo

# draws the pictures of README.md from new recordings
images: deps-build
	@$(MAKE) -s --no-print-directory all $(BUILD)/load/demo
	@BUILD='$(abspath $(BUILD))' docs/images/draw

# for tests/kernel.bats, on x86-64: a kernel with features that the kernel of the test machine may lack
HAVE_VM   := $(filter x86_64,$(shell uname -m))
VM_KERNEL := $(BUILD_ROOT)/vm

$(VM_KERNEL)/complete: tests/vm/kernel
	tests/vm/kernel $(VM_KERNEL)

# --- Debian packages ---------------------------------------------------------------------------------------

DEPS_BUILD := gcc clang libc6-dev pkg-config libjansson-dev libxxhash-dev zlib1g-dev libzstd-dev libtraceevent-dev libelf-dev libdw-dev liblzma-dev \
	libiberty-dev libbpf-dev libseccomp-dev protobuf-c-compiler libprotobuf-c-dev xz-utils $(if $(LIBPERF_DEP),linux-source-6.1)
DEPS_DEB   := $(DEPS_BUILD) dpkg-dev debhelper lintian
DEPS_CHECK := $(DEPS_DEB) git libcap2-bin libdevel-nytprof-perl g++ dwz clang-format libclang-rt-14-dev bats linux-perf mandoc groff-base shellcheck gojq jq \
	strace time stress-ng datamash zstd bash-completion procps iproute2 python3 chromium-headless-shell librsvg2-bin fonts-dejavu-core libc6-dbg bpftool \
	bpftrace libjemalloc2 libtcmalloc-minimal4 libgoogle-perftools4 musl-tools golang-go protobuf-compiler sqlite3 zsh fish \
	parallel clustershell openssh-server openssh-client faketime \
	prometheus python3-prometheus-client nodejs openjdk-17-jdk-headless php-cli ruby slurm-client slurmctld slurmd munge \
	$(if $(HAVE_VM),qemu-system-x86 busybox-static cpio)

# Installs the missing packages as root; another user gets the command to do so. Does nothing if none is missing.
install-missing = @missing=; for p in $(1); do dpkg-query -W -f='$${db:Status-Status}' $$p 2>/dev/null | \
	grep -q '^installed$$' || missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || exit 0; \
	command -v apt-get > /dev/null || { echo "needed:$$missing" >&2; exit 1; }; \
	[ "$$(id -u)" = 0 ] || { echo "missing, as root: apt-get install$$missing" >&2; exit 1; }; \
	echo "installing:$$missing"; \
	export DEBIAN_FRONTEND=noninteractive; \
	apt-get install -y -q --no-install-recommends $$missing > $(BUILD_ROOT)/apt.log 2>&1 || \
	{ apt-get update -q >> $(BUILD_ROOT)/apt.log 2>&1 && \
	  apt-get install -y -q --no-install-recommends $$missing >> $(BUILD_ROOT)/apt.log 2>&1; } || \
	{ tail -20 $(BUILD_ROOT)/apt.log >&2; exit 1; }

$(BUILD_ROOT):
	@mkdir -p $@

deps-build: | $(BUILD_ROOT)
	$(call install-missing,$(DEPS_BUILD))
deps-deb: | $(BUILD_ROOT)
	$(call install-missing,$(DEPS_DEB))
deps-coverage: deps-check
	$(call install-missing,gcovr)
deps-check: | $(BUILD_ROOT)
	$(call install-missing,$(DEPS_CHECK))
	$(call install-npm,$(NPM_CHECK))

# For tests/table.bats and tests/viewers.bats; a test is skipped if the package that it needs cannot be installed.
NPM := $(BUILD_ROOT)/npm
NPM_CHECK := @duckdb/node-api@1.5.6-r.1 pprof-format@2.3.2 speedscope@1.25.0
install-npm = @mkdir -p $(NPM); for p in $(1); do [ -d "$(NPM)/node_modules/$${p%@*}" ] || \
	timeout 300 npm install --prefix $(NPM) --no-fund --no-audit --fetch-retries 0 "$$p" >> $(NPM)/log 2>&1 || \
	echo "npm cannot install $${p%@*}" >> $(NPM)/log; done

# --- install ----------------------------------------------------------------------------------------------

MAN1 := $(wildcard docs/*.1)
MAN5 := $(wildcard formats/*.5)
MAN7 := $(wildcard docs/*.7)

install: $(PROGRAMS:%=$(BIN)/%)
	install -d $(BINDIR) $(MANDIR)/man1 $(MANDIR)/man5 $(MANDIR)/man7 $(BASHDIR) $(ZSHDIR) $(FISHDIR) $(COLLDIR)
	install -m 755 $(PROGRAMS:%=$(BIN)/%) $(BINDIR)
	install -m 644 $(MAN1) $(MANDIR)/man1
	install -m 644 $(MAN5) $(MANDIR)/man5
	install -m 644 $(MAN7) $(MANDIR)/man7
	for p in $(PROGRAMS); do install -m 644 completions/mp-tools.bash $(BASHDIR)/$$p || exit 1; \
		install -m 644 completions/mp-tools.fish $(FISHDIR)/$$p.fish || exit 1; done
	install -m 644 completions/_mp-tools $(ZSHDIR)
	install -m 644 $(COLLECTORS) $(COLLDIR)
	$(say-without-bpf)

uninstall:
	rm -f $(PROGRAMS:%=$(BINDIR)/%) $(MAN1:docs/%=$(MANDIR)/man1/%) $(MAN5:formats/%=$(MANDIR)/man5/%) \
		$(MAN7:docs/%=$(MANDIR)/man7/%) \
		$(PROGRAMS:%=$(BASHDIR)/%) $(PROGRAMS:%=$(FISHDIR)/%.fish) $(ZSHDIR)/_mp-tools $(COLLECTORS:lib/collectors/%=$(COLLDIR)/%)
	-rmdir $(COLLDIR) $(DESTDIR)$(PREFIX)/share/mp 2> /dev/null
	[ -z '$(DESTDIR)' ] || find '$(DESTDIR)' -mindepth 1 -type d -empty -delete

# --- packages ---------------------------------------------------------------------------------------------

# from a tag, see docs/packaging/version
PACKAGE_VERSION = $(shell docs/packaging/version $(VERSION))
DEB := $(BUILD_ROOT)/deb
# where the packaged programs are compiled: with the flags of Debian, so not among the others
DEB_OBJECTS := $(BUILD_ROOT)/deb-objects

deb: deps-deb
	@docs/packaging/deb '$(PACKAGE_VERSION)' $(DEB) $(DEB_OBJECTS) '$(strip $(DEPS_BUILD))'

dist:
	@docs/packaging/dist '$(PACKAGE_VERSION)' $(BUILD_ROOT)

# --- the rest ---------------------------------------------------------------------------------------------

SOURCES = $(shell find cmd lib bpf tests docs -name '*.[ch]')

format:
	@clang-format -i $(SOURCES)

clean:
	rm -rf $(BUILD_ROOT)

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)

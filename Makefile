# Everything that people and CI run. `make` alone lists the targets.
#
# Each target does its own set-up: on Debian or Ubuntu it installs what is missing with apt (through
# sudo where needed) and reports it. Rust itself must be installed already (https://rustup.rs).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
TARGET := $(or $(CARGO_TARGET_DIR),target)
# Tests wait for files and for each other's results, so one more thread than cores keeps all cores
# busy.
export RUST_TEST_THREADS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
RUN := cargo run --release --quiet --

# NVIDIA's run-time compiler (needs no GPU): the tests compile every kernel with it.
NVRTC_PACKAGE := nvidia-cuda-nvrtc==13.0.88
NVRTC := $(CURDIR)/target/nvrtc/13.0
# PTX compiled by this old version is accepted by every driver from CUDA 12.0 on.
PTX_NVRTC_PACKAGE := nvidia-cuda-nvrtc-cu12==12.0.140
PTX_NVRTC := $(CURDIR)/target/nvrtc/12.0
# EPA's SWMM, which computes sewers: the tests load its library.
SWMM_PACKAGE := swmm-toolkit==0.17.0
SWMM := $(CURDIR)/target/swmm
DIST_FEATURES := static-gdal
# The oldest glibc that release binaries run on, 2.28; `GLIBC=` links against this machine's
# instead.
GLIBC := 2.28
# A compiler whose linker can target any glibc version.
ZIG_PACKAGE := ziglang==0.13.0
ZIG := $(CURDIR)/target/zig/0.13
LINKED := $(if $(GLIBC),-- -C linker=$(CURDIR)/data/release/old-glibc-cc)
WHEEL_PLATFORM := $(if $(GLIBC),manylinux_2_28_x86_64,linux_x86_64)
# The Python extension module that steps runs.
MODULE := inundate_engine.abi3.so
# The generator of the documentation site, and a copy of the repository's pages from which it builds:
# links between pages and to sources then work as on GitHub.
MDBOOK_VERSION := 0.5.4
BOOK_TOOLS := $(CURDIR)/target/book-tools/$(MDBOOK_VERSION)
BOOK_SOURCE := $(CURDIR)/target/book-source
# A Python environment for building and testing.
PYTHON := $(CURDIR)/target/python/bin/python
# Architectures for which the binary contains machine code; other GPUs use PTX, which their driver
# compiles at the first run.
DIST_ARCHITECTURES := sm_75 sm_80 sm_90 sm_100 sm_120
# GDAL's sources include zlib; with these libraries GDAL compresses and decompresses several times
# as fast, and supports Zstandard.
CODECS := $(abspath $(TARGET))/codecs.cmake

.PHONY: help demo test test-all test-mpi test-arm test-python check validation bench docs-check book gpu-check dist wheel wheel-engine qgis-plugin setup setup-tools setup-host-twins setup-arm setup-nvrtc setup-swmm setup-ptx setup-zig setup-dist setup-python setup-book

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: setup setup-tools ## build, and run a flood over the bundled terrain (results in demo-results/)
	@echo "==> building"
	cargo build --release
	@echo "==> running the demo"
	$(RUN) demo --out demo-results

test: setup setup-tools setup-host-twins setup-nvrtc setup-swmm ## run all tests, with a selection of combinations
	INUNDATE_NVRTC=$(NVRTC) INUNDATE_REQUIRE_NVRTC=1 INUNDATE_SWMM=$(SWMM) INUNDATE_REQUIRE_SWMM=1 cargo test --workspace --no-fail-fast
	$(MAKE) test-python

test-all: setup setup-tools setup-host-twins setup-nvrtc setup-swmm ## run all tests, with all combinations, all steps and many kills
	INUNDATE_TESTS=all INUNDATE_NVRTC=$(NVRTC) INUNDATE_REQUIRE_NVRTC=1 INUNDATE_SWMM=$(SWMM) INUNDATE_REQUIRE_SWMM=1 cargo test --workspace --no-fail-fast
	INUNDATE_NVRTC=$(NVRTC) cargo test --test adding_a_solver -- --ignored
	$(MAKE) test-mpi test-python

test-mpi: setup ## test ranks over MPI (the feature 'mpi')
	$(call install,command -v mpicc && mpicc -include mpi.h -E -xc /dev/null,libopenmpi-dev openmpi-bin)
	$(call install,ls /usr/lib/llvm-*/lib/libclang.so*,libclang-dev)
	cargo test --features mpi --test program ranks::

test-arm: setup-arm ## test the engine for 64-bit ARM in an emulator: lanes and known bits
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
		CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu" \
		cargo test --target aarch64-unknown-linux-gnu -p inundate-engine --lib --test engine -- lanes roots every_bit_is_known

# Including a test makes cargo build both with the same features as `make test` does; on their own
# they would be rebuilt with other features of serde and other crates.
test-python: setup setup-python setup-swmm ## test the Python package and the extension module
	cargo build -p inundate -p inundate-python --lib --bins --test docs
	mkdir -p $(TARGET)/engine
	cp $(TARGET)/debug/libinundate_python.so $(TARGET)/engine/$(MODULE)
	INUNDATE=$(abspath $(TARGET))/debug/inundate INUNDATE_SWMM=$(SWMM) PYTHONPATH=$(abspath $(TARGET))/engine $(PYTHON) -m pytest -q -p no:cacheprovider

gpu-check: setup setup-nvrtc ## run the tests that need a GPU
	INUNDATE_NVRTC=$(NVRTC) INUNDATE_GPU_CHECK=required cargo test --release -p inundate-engine --test gpu_check
	INUNDATE_NVRTC=$(NVRTC) INUNDATE_GPU_CHECK=required cargo test --release -p inundate-automata --test automata_gpu_check

validation: setup setup-swmm ## compare the solvers with analytic solutions, other models and surveys; writes docs/validation.md
	INUNDATE_SWMM=$(SWMM) INUNDATE_REQUIRE_SWMM=1 cargo test --release --test validation -- --full

check: setup ## check format, lints and documentation, as required for every commit
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy --workspace --test gpu_check --test automata_gpu_check -- -D warnings
	RUSTDOCFLAGS="-D warnings -D missing-docs" cargo doc --workspace --no-deps --document-private-items

bench: setup ## measure every solver against the machine's copy bandwidth
	$(RUN) bench

docs-check: setup setup-tools setup-host-twins setup-nvrtc setup-swmm ## run the commands and worked examples of the README and the docs; compare their tables
	INUNDATE_TESTS=all INUNDATE_SWMM=$(SWMM) INUNDATE_REQUIRE_SWMM=1 cargo test --test docs
	INUNDATE_NVRTC=$(NVRTC) cargo test --test adding_a_solver -- --include-ignored
	INUNDATE_TESTS=all $(MAKE) test-python

book: setup-book ## build the documentation site from docs/: target/book/index.html
	rm -rf $(BOOK_SOURCE) target/book && mkdir -p $(BOOK_SOURCE)
	cp -r --parents *.md LICENSE-* CITATION.cff data docs kernels src tests $(BOOK_SOURCE)
	cp docs/book/book.toml $(BOOK_SOURCE)
	sed 's|](|](docs/|; s|docs/\.\./||' docs/SUMMARY.md >$(BOOK_SOURCE)/SUMMARY.md
	$(BOOK_TOOLS)/bin/mdbook build -d $(CURDIR)/target/book $(BOOK_SOURCE)

dist: setup-dist setup-ptx setup-nvrtc setup-zig ## build a release binary with GDAL, PROJ and kernels: target/dist/inundate
	@echo "==> building with GDAL linked in (10 to 15 minutes the first time)"
	mkdir -p $(TARGET)
	for codec in DEFLATE ZSTD; do echo "set(GDAL_USE_$$codec ON CACHE BOOL \"\")"; done >$(CODECS)
	CMAKE_TOOLCHAIN_FILE=$(CODECS) INUNDATE_CODECS=deflate,zstd cargo build --release --features "$(DIST_FEATURES)"
	@echo "==> compiling the kernels to PTX"
	rm -rf $(TARGET)/ptx
	INUNDATE_NVRTC=$(PTX_NVRTC) $(TARGET)/release/inundate kernels --ptx $(TARGET)/ptx
	@echo "==> compiling machine code for common GPUs"
	for arch in $(DIST_ARCHITECTURES); do \
		INUNDATE_NVRTC=$(NVRTC) $(TARGET)/release/inundate kernels --arch $$arch --cubin $(TARGET)/ptx >$(TARGET)/cubin.log || exit 1; done
	@echo "==> building with the kernels in it"
	CMAKE_TOOLCHAIN_FILE=$(CODECS) INUNDATE_CODECS=deflate,zstd INUNDATE_PTX_DIR=$(abspath $(TARGET))/ptx ZIG=$(ZIG) \
		cargo rustc --release --bin inundate --features "$(DIST_FEATURES) embedded-ptx" $(LINKED)
	mkdir -p $(TARGET)/dist
	strip -o $(TARGET)/dist/inundate $(TARGET)/release/inundate
	@echo "==> copying the licences of linked libraries"
	mkdir -p $(TARGET)/dist/licences
	cp "$$(ls -t $(TARGET)/release/build/gdal-src-*/out/build/data/LICENSE.TXT | head -1)" $(TARGET)/dist/licences/GDAL.txt
	cp "$$(ls -t $(TARGET)/release/build/proj-sys-*/out/share/doc/proj/COPYING | head -1)" $(TARGET)/dist/licences/PROJ.txt
	crates=$${CARGO_HOME:-$$HOME/.cargo}/registry/src; \
		cp "$$(ls -t $$crates/*/hdf5-metno-src-*/ext/hdf5/COPYING | head -1)" $(TARGET)/dist/licences/HDF5.txt; \
		cp "$$(ls -t $$crates/*/netcdf-src-*/source/COPYRIGHT | head -1)" $(TARGET)/dist/licences/netCDF.txt; \
		cp "$$(ls -t $$crates/*/libz-sys-*/src/zlib/LICENSE | head -1)" $(TARGET)/dist/licences/zlib.txt
	for codec in deflate zstd; do cp /usr/share/doc/lib$$codec-dev/copyright $(TARGET)/dist/licences/lib$$codec.txt; done
	$(TARGET)/dist/inundate devices | grep "^ptx  *embedded"
	@ls -l $(TARGET)/dist/inundate

$(TARGET)/dist/inundate:
	$(MAKE) dist

wheel: $(TARGET)/dist/inundate setup-python ## package the release binary as a Python wheel in target/wheel
	rm -rf $(TARGET)/wheel
	INUNDATE_BINARY=$(TARGET)/dist/inundate INUNDATE_PLATFORM=$(WHEEL_PLATFORM) $(PYTHON) -m hatchling build -t wheel -d $(TARGET)/wheel
	$(PYTHON) -m auditwheel show $(TARGET)/wheel/*.whl | tr '\n' ' ' | grep -F '"$(WHEEL_PLATFORM)"'
	INUNDATE_WHEEL="$$(ls $(abspath $(TARGET))/wheel/*.whl)" $(PYTHON) -m pytest -q -p no:cacheprovider tests/python/test_wheel.py
	@ls -l $(TARGET)/wheel/*.whl

wheel-engine: $(TARGET)/dist/inundate setup-python setup-zig ## package the extension module as a Python wheel in target/wheel-engine
	CMAKE_TOOLCHAIN_FILE=$(CODECS) INUNDATE_CODECS=deflate,zstd INUNDATE_PTX_DIR=$(abspath $(TARGET))/ptx ZIG=$(ZIG) \
		cargo rustc --release -p inundate-python --lib --features "$(DIST_FEATURES) embedded-ptx" $(LINKED)
	strip --strip-unneeded -o $(TARGET)/dist/$(MODULE) $(TARGET)/release/libinundate_python.so
	rm -rf $(TARGET)/wheel-engine
	cd src/python/engine && INUNDATE_MODULE=$(abspath $(TARGET))/dist/$(MODULE) INUNDATE_PLATFORM=$(WHEEL_PLATFORM) \
		$(PYTHON) -m hatchling build -t wheel -d $(abspath $(TARGET))/wheel-engine
	$(PYTHON) -m auditwheel show $(TARGET)/wheel-engine/*.whl | tr '\n' ' ' | grep -F '"$(WHEEL_PLATFORM)"'
	INUNDATE_ENGINE_WHEEL="$$(ls $(abspath $(TARGET))/wheel-engine/*.whl)" $(PYTHON) -m pytest -q -p no:cacheprovider tests/python/test_engine_wheel.py
	@ls -l $(TARGET)/wheel-engine/*.whl

qgis-plugin: setup ## package the QGIS plugin: target/inundate-qgis-plugin.zip
	$(call install,command -v zip,zip)
	cargo build --release
	rm -rf $(TARGET)/qgis-plugin $(TARGET)/inundate-qgis-plugin.zip
	mkdir -p $(TARGET)/qgis-plugin/inundate
	cp data/qgis_plugin/inundate/*.py data/qgis_plugin/inundate/metadata.txt data/qgis_plugin/inundate/icon.svg LICENSE-* $(TARGET)/qgis-plugin/inundate
	cd data/qgis_plugin && python3 -B -m inundate.description $(abspath $(TARGET))/release/inundate >$(abspath $(TARGET))/qgis-plugin/inundate/description.json
	cd $(TARGET)/qgis-plugin && zip -q -r ../inundate-qgis-plugin.zip inundate
	@ls -l $(TARGET)/inundate-qgis-plugin.zip

# $(call install,program or test,packages): installs packages if the test fails.
define install
	@if ! { $(1); } >/dev/null 2>&1; then \
		echo "==> installing $(2) (apt)"; \
		$(SUDO) apt-get update -q && $(SUDO) apt-get install -y -q --no-install-recommends $(2); \
	fi
endef

# $(call nvrtc,package==version,folder): downloads NVRTC from PyPI if it is missing.
define nvrtc
	@if [ ! -e $(2)/complete ]; then \
		echo "==> getting $(1) from PyPI, into $(2)"; \
		rm -rf $(2) && mkdir -p $(2) && cd $(2) && \
		python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: -d . $(1) && \
		python3 -m zipfile -e *.whl . && rm *.whl && \
		mv nvidia/*/lib/libnvrtc*.so.* . && rm -rf nvidia *.dist-info *.alt.so.* && touch complete; \
	fi
endef

HAS_PIP := python3 -m pip --version
PYTHON_PACKAGES := tests/python/requirements.txt

setup:
	@command -v cargo >/dev/null || { echo "Rust is missing: see https://rustup.rs"; exit 1; }
	$(call install,command -v cc && command -v pkg-config && pkg-config --exists gdal,gcc pkg-config libgdal-dev)

setup-tools:
	$(call install,command -v gdalwarp && command -v python3,gdal-bin python3)
	$(call install,command -v mpirun,openmpi-bin)

setup-host-twins:
	$(call install,command -v c++,g++)

setup-dist:
	$(call install,command -v cmake && command -v c++ && command -v sqlite3 && pkg-config --exists sqlite3 libdeflate libzstd,gcc g++ pkg-config cmake make libsqlite3-dev sqlite3 libdeflate-dev libzstd-dev)

setup-arm:
	$(call install,command -v qemu-aarch64 && command -v aarch64-linux-gnu-gcc,qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
	@[ -e "$$(rustc --print sysroot)/lib/rustlib/aarch64-unknown-linux-gnu" ] || rustup target add aarch64-unknown-linux-gnu

setup-nvrtc:
	$(call install,$(HAS_PIP),python3-pip)
	$(call nvrtc,$(NVRTC_PACKAGE),$(NVRTC))

setup-swmm:
	$(call install,$(HAS_PIP),python3-pip)
	@if [ ! -f $(SWMM)/swmm/toolkit/libswmm5.so ]; then \
		echo "==> getting $(SWMM_PACKAGE) from PyPI, into $(SWMM)"; \
		python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary=:all: --target $(SWMM) $(SWMM_PACKAGE); \
	fi

setup-zig:
	$(call install,$(HAS_PIP),python3-pip)
	@if [ ! -x $(ZIG)/ziglang/zig ]; then \
		echo "==> getting $(ZIG_PACKAGE) from PyPI, into $(ZIG)"; \
		python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --no-deps --only-binary=:all: --target $(ZIG) $(ZIG_PACKAGE); \
	fi

setup-python:
	$(call install,python3 -c 'import ensurepip',python3-venv)
	@if ! cmp -s $(PYTHON_PACKAGES) target/python/requirements.txt; then \
		echo "==> getting packages for Python from PyPI, into target/python"; \
		rm -rf target/python && python3 -m venv target/python && \
		$(PYTHON) -m pip install -q --disable-pip-version-check --no-compile -r $(PYTHON_PACKAGES) && \
		cp $(PYTHON_PACKAGES) target/python/requirements.txt; \
	fi

setup-book:
	@command -v cargo >/dev/null || { echo "Rust is missing: see https://rustup.rs"; exit 1; }
	$(call install,command -v cc,gcc libc6-dev)
	@if [ ! -x $(BOOK_TOOLS)/bin/mdbook ]; then \
		echo "==> building mdBook $(MDBOOK_VERSION) from crates.io (some minutes), into $(BOOK_TOOLS)"; \
		cargo install -q mdbook@$(MDBOOK_VERSION) --locked --no-default-features --features search --root $(BOOK_TOOLS); \
	fi

setup-ptx:
	$(call install,$(HAS_PIP),python3-pip)
	$(call nvrtc,$(PTX_NVRTC_PACKAGE),$(PTX_NVRTC))

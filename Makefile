# `make help` describes each target in one line.
.DEFAULT_GOAL := help
.PHONY: help demo test test-integrations test-family test-recipe sanitize test-portable test-free-threaded wheel wheels test-wheels wheel-aarch64 wheel-macos wheel-windows test-windows test-aarch64 test-reproducible fuzz release lint format train wheel-small bench import-time chart docs film clean
SHELL := /bin/bash

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 28

# Builds a small wheel while the command installs an environment: both wait for downloads.
# Bash would let Ctrl-C pass by a command in the background: it has a process group, which ends too.
BESIDE = @set -m; $(1) & environment=$$!; set +m; \
	trap 'kill -- -$$environment 2>/dev/null' EXIT; trap 'exit 130' INT TERM; \
	tools/wheel/build.sh --small && wait $$environment

demo: ## set up, build Atari, play Pong with 100 envs, write demo.png
	@tools/setup.sh
	$(call BESIDE,tools/venv.sh .work/demo examples/requirements.lock)
	@tools/install_wheel.sh .work/demo dist/small
	.work/demo/bin/python -I examples/demo.py

test: ## set up, build, run all tests; LONG=1 plays parity tests in full
	@tools/setup.sh
	tools/testing/run_tests.py //... $(if $(LONG),--test_env=LONG=$(LONG))

test-integrations: wheel ## test with other libraries; INTEGRATION=sb3 or training is one of them
	@python3 -m tools.testing.integrations $(INTEGRATION)

test-family: ## run the tests that a change of one family can break; FAMILY=toy_text
	@tools/setup.sh
	@python3 -m tools.testing.family $(FAMILY)

test-recipe: ## add a family as docs/add_an_env.md says, in a copy, and run its tests
	@tools/setup.sh
	@python3 -m tools.testing.recipe

sanitize: ## run the engine's tests with AddressSanitizer, UBSan and ThreadSanitizer
	@tools/setup.sh
	@tools/sanitize/sanitize.sh

test-portable: ## run the engine's tests with the portable forms of core/platform, ThreadSanitizer too
	@tools/setup.sh
	tools/testing/run_tests.py --config=portable //parallel_pool/core/... //parallel_pool/python_envs/...
	tools/testing/run_tests.py --config=portable --config=tsan --platform_suffix=portable_tsan \
		--build_tests_only --test_lang_filters=cc //parallel_pool/core/...

test-free-threaded: ## run the race tests in a CPython without a GIL, with ThreadSanitizer
	@tools/setup.sh patchelf libffi-dev libssl-dev zlib1g-dev
	@python3 -m tools.sanitize.free_threaded

wheel: ## build the wheel into dist/
ifeq ($(shell uname -s),Darwin)
	@tools/wheel/in_docker.sh make wheel-macos PYTHONS="$(PYTHONS)"
else
	@tools/setup.sh
	@tools/wheel/build.sh
endif

wheel-small: ## build a wheel of Atari and classic control only into dist/small/
	@tools/setup.sh
	@tools/wheel/build.sh --small

wheels: ## build a wheel for each CPython from 3.10 on that is found (all); PYTHONS="3.12 3.14"
	@tools/setup.sh patchelf
	@pythons=$$(tools/wheel/find_pythons.py $(PYTHONS)) && tools/wheel/build.sh $$pythons

test-wheels: wheels ## test each of these wheels in its Python; PYTHONS="3.12 3.14"
	@python3 -m tools.wheel.try_wheels $$(tools/wheel/find_pythons.py $(PYTHONS))

# Other systems than this one: the wheel of the running Python, and those of PYTHONS, such as all.
BUILD_WHEELS = pythons=$$([[ -z "$(PYTHONS)" ]] || tools/wheel/find_pythons.py $(PYTHONS)) && tools/wheel/build.sh

# g++ for 64-bit ARM, and what stands in for x86's SIMD functions.
AARCH64_PACKAGES = g++-12-aarch64-linux-gnu libsimde-dev

wheel-aarch64: ## build the wheel for 64-bit ARM into dist/
	@tools/setup.sh $(AARCH64_PACKAGES) patchelf
	@$(BUILD_WHEELS) --aarch64 $$pythons

wheel-macos: ## build the wheel for Macs with Apple's processors into dist/, and check it
	@tools/setup.sh libsimde-dev patchelf
	@$(BUILD_WHEELS) --macos $$pythons
	@tools/venv.sh .work/wheels/checks tools/wheel/checks.lock
	@.work/wheels/checks/bin/python tools/wheel/checks.py dist/*_arm64.whl

wheel-windows: ## build the wheel for Windows on x86-64 into dist/, and check it
	@tools/setup.sh libz-mingw-w64-dev patchelf
	@$(BUILD_WHEELS) --windows $$pythons
	@tools/venv.sh .work/wheels/checks tools/wheel/checks.lock
	@.work/wheels/checks/bin/python tools/wheel/checks.py dist/*_amd64.whl

test-windows: wheel wheel-windows ## test it with Debian's wine
	@tools/setup.sh patchelf
	@tools/venv.sh .work/wheels/windows/venv tools/wheel/windows/requirements.lock tools/wheel/windows/sdists.lock
	@.work/wheels/windows/venv/bin/python -m tools.wheel.try_windows

test-aarch64: wheel wheel-aarch64 ## test it in an emulated processor
	@tools/setup.sh $(AARCH64_PACKAGES) qemu-user-static
	@python3 -m tools.wheel.try_aarch64

test-reproducible: wheel ## build the wheel again without caches, and compare all bytes
	@python3 -m tools.wheel.try_reproducible

FUZZ = 2000
FUZZ_TESTS = //parallel_pool/python:fuzz_test //parallel_pool/python:fuzz_actions_test //parallel_pool/python_envs:fuzz_test

fuzz: ## make FUZZ random sequences of calls, good and bad, for each kind of pool
	@tools/setup.sh
	@tools/testing/run_tests.py --test_env=PARALLEL_POOL_FUZZ=$(FUZZ) --test_timeout=14400 $(FUZZ_TESTS)
	@echo 'fuzz: $(FUZZ) sequences for each of $(words $(FUZZ_TESTS)) tests'

release: ## build, test and measure everything; write dist/certificate; RELEASE="--help"
	@python3 -m tools.release.release $(RELEASE)

lint: ## check format, style, types and links
	@tools/setup.sh npm
	@tools/lint/lint.sh

format: ## rewrite all sources in the project's format
	@tools/setup.sh npm
	@tools/lint/lint.sh --fix

bench: ## measure; QUESTION=throughput, QUESTION=--help lists the others, BENCH="--help" the options
	@tools/bench.sh $(or $(QUESTION),throughput) $(BENCH)

import-time: ## measure the time and the memory of `import parallel_pool`
	@tools/setup.sh
	@tools/bench_venv.sh .work/bench benchmark/requirements.lock
	@.work/bench/bin/python -I tools/release/import_time.py

chart: ## measure everything against the peers, draw benchmark/chart.png, fill in the pages
	@tools/bench.sh throughput --json .work/bench/throughput.json
	@tools/bench.sh start_up --json .work/bench/start_up.json
	.work/bench/bin/python -E -s -m benchmark.frame.chart .work/bench/throughput.json .work/bench/start_up.json

# An environment with locks: the CPU build of torch if pip finds it, else the build of PyPI.
TORCH_VENV = { tools/venv.sh $(1) integration_tests/torch/cpu.lock $(2) || \
	tools/venv.sh $(1) integration_tests/torch/cuda.lock $(2); }
TRAINING = examples/training

train: ## learn with torch; TRAIN="sb3_ppo.py Pendulum-v1" names one of examples/training
ifdef TRAIN
	@$(MAKE) --no-print-directory wheel
	@$(call TORCH_VENV,.work/training,$(TRAINING)/requirements.lock $(TRAINING)/sdists.lock)
	@tools/install_wheel.sh .work/training
	.work/training/bin/python -I $(TRAINING)/$(TRAIN)
else
	@tools/setup.sh
	$(call BESIDE,$(call TORCH_VENV,.work/train,$(TRAINING)/ppo_cartpole.lock))
	@tools/install_wheel.sh .work/train dist/small
	.work/train/bin/python -I $(TRAINING)/ppo_cartpole.py
endif

docs: wheel ## build the documentation into .work/docs/html
	@tools/venv.sh .work/docs docs/requirements.lock third_party/pip/metaworld.lock examples/training/sdists.lock
	@tools/install_wheel.sh .work/docs
	.work/docs/bin/sphinx-build -W -q -d .work/docs/doctrees docs .work/docs/html
	@echo .work/docs/html/index.html

film: wheel ## draw docs/pictures: families.gif of README.md, view.png of docs/view.md
	@tools/venv.sh .work/docs docs/requirements.lock third_party/pip/metaworld.lock examples/training/sdists.lock
	@tools/install_wheel.sh .work/docs
	.work/docs/bin/python -I tools/docs/gallery.py docs/pictures/families.gif
	@tools/venv.sh .work/integrations/rerun integration_tests/rerun/requirements.lock
	@tools/install_wheel.sh .work/integrations/rerun
	.work/integrations/rerun/bin/python -E -s integration_tests/rerun/browser.py docs/pictures/view.png

clean: ## remove the files that make wrote here (the build caches are in ~/.cache/parallel_pool)
	rm -rf .work dist demo.png ppo_*.png docs/pictures/generated docs/readmes

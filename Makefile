# Two targets are for everybody: `make` measures, `make test` tests.
# The others are their parts. Building and measuring need nothing but Go; `make test`
# says what else the tests need, and installs it.

SHELL := /bin/bash

# A Go that can build upflab, wherever it is. It gets the version in go.mod by itself, which
# Debian's Go only does when it is asked.
ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),run)),)
GO := $(shell .ci/go)
$(if $(GO),,$(error no Go, see above))
export PATH := $(GO):$(PATH)
export GOTOOLCHAIN ?= auto
endif
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo -E)
# Where Debian and Ubuntu keep clang 14, whatever `clang` is.
LLVM := /usr/lib/llvm-14/bin

.DEFAULT_GOAL := run
.PHONY: kubernetes test-kubernetes run quick test test-all coverage needs tests race fuzz campaign build generate clean help format vet govet staticcheck generated release verify-release tools site words vulncheck kills kernels instructions instructions-proof truth

help:
	@echo 'make, make run    build ./upflab and measure the reference UPF (as root, or by sudo):'
	@echo '                  a minute and a half, once built. ARGS are for `upflab run`: make ARGS="quick --dut eupf"'
	@echo 'make test         what a change needs: format, vet, eBPF objects, and the short tests, in about 20'
	@echo '                  minutes; those that need root run by sudo. It installs what is missing by apt:'
	@echo '                  SETUP=no leaves that out'
	@echo 'make quick        the short tests that need no root, and beside which others may run: three minutes, and'
	@echo '                  after a change as long as the tests of what depends on it'
	@echo 'make test-all     all checks and all tests, as CI runs them: about 40 minutes'
	@echo 'make race         tests of what runs goroutines on shared data, with the race detector'
	@echo 'make fuzz         each fuzz target for three seconds'
	@echo 'make campaign     10 million inputs each for PFCP and for GTP-U, of the reference UPF: hours.'
	@echo '                  INPUTS=100000 SEED=7 are for another number, and other inputs'
	@echo 'make kernels      stock kernels of Debian in QEMU, as root: tests of the BPF programs, and a short run in each;'
	@echo '                  KERNELS="6.1 6.12" are for some of them'
	@echo 'make instructions  count the instructions of a packet and of a request in an emulated machine: 5 minutes.'
	@echo '                  ARGS are for `upflab run`: make instructions ARGS="--set vm.kernel=6.12 --dut builtin:tun"'
	@echo 'make instructions-proof   does a gate on instructions find builds that are 1 % slower, and no difference between'
	@echo '                  equal ones? 15 minutes; BOOTS=2 boots twice as many machines'
	@echo 'make coverage     do intervals and verdicts hold on simulated machines whose truth is known? Under ten'
	@echo '                  minutes; UPDATE=-update writes the table into docs/reference/method-appendix.md'
	@echo 'make truth        measure devices of known rate, delay, loss and jitter that share no code with upflab, as'
	@echo '                  root: half an hour. ARGS="-runs 5" are for fewer runs'
	@echo 'make vulncheck    known vulnerabilities in what upflab calls; asks vuln.go.dev'
	@echo 'make kills        kill each command at 50 random points, and 200 short runs, two at once: an hour'
	@echo 'make build        build ./upflab'
	@echo 'make kubernetes   build ./upflab-kubernetes, which upflab run --site kubernetes calls'
	@echo 'make generate     compile the eBPF programs again, with clang 14'
	@echo 'make release      archives, Debian packages, an OCI image, SBOMs, provenance and checksums in dist/,'
	@echo '                  and, as root, the package tried in an empty root. SIGN=minisign.key signs them'
	@echo 'make verify-release   check dist/, make it again from a clone and compare the bytes.'
	@echo '                  KEY=minisign.pub: and check who signed it'
	@echo 'make site         the documentation as a web site, in dist/site'
	@echo 'make words        check the English of pages, help and reports with vale; PAGES=docs/ue.md: one page'
	@echo 'make clean        remove ./upflab, and what killed runs left'

run: build
	$(SUDO) ./upflab run $(ARGS)

build:
	CGO_ENABLED=0 go build -o upflab ./cmd/upflab

# A module of its own, so that Kubernetes' libraries are not upflab's.
kubernetes:
	CGO_ENABLED=0 go build -C cmd/upflab-kubernetes -o ../../upflab-kubernetes .

test-kubernetes:
	go -C cmd/upflab-kubernetes vet ./...
	go -C cmd/upflab-kubernetes test -count=1 ./...

generate:
	PATH="$(LLVM):$$PATH" .ci/generate

# The tests come last, so that theirs are the last lines. Those that measure time, or keep CPUs
# busy, run one package after another, since two at once would measure each other: they wait for a
# lock, while the next is linked. The others come before them.
# By sudo only the tests run, not the compiler, which would leave files of root's.
ALONE := $(addprefix internal/,check/selftest e2e e2e/killmatrix lab/dut/external lab/dut/process lab/uegateway \
	machine/disturbance machine/disturbance/hold machine/host machine/nosleep machine/telemetry/droptrace \
	measure/appflow measure/behaviour/exactness measure/behaviour/lab measure/behaviour/seeded measure/deploy measure/externalran measure/trial \
	socket/threads traffic/afpacket traffic/afxdp traffic/capture traffic/delayprobe traffic/hosts traffic/xdp) \
	upf upf/datapath/afpacket upf/datapath/tun upf/datapath/xdp upf/journal
TOGETHER = $(filter-out $(addprefix github.com/upflab/upflab/,$(ALONE)),$(shell $(GO)/go list ./...))
AS_ROOT = $(if $(SUDO),$(SUDO) env PATH=$$PATH UPFLAB_E2E_BUILT=$(CURDIR)/upflab,env)
GOTEST = .ci/leaks go test -json $(SHORT) -vet=off -count=1 -timeout 30m

# What a change needs first: no root, and no lock. Of what was not changed, results are cached.
quick: format
	@set -o pipefail; go test -short $(TOGETHER) | grep -v 'no test files'

# A test that takes more than about ten seconds is skipped with -short. Staticcheck has the time
# that the tests of the first kind leave: ALSO is what runs beside them.
ALSO := true
test: SHORT := -short
test: needs format govet generated $(if $(SUDO),build) tests

test-all: ALSO := chrt -i 0 $(MAKE) -s staticcheck
test-all: needs format govet generated tools test-kubernetes $(if $(SUDO),build) tests

needs:
	@.ci/needs

tests:
	@set -o pipefail; { status=0; $(ALSO) & \
	$(GOTEST) -exec "$(AS_ROOT)" $(TOGETHER) || status=1; wait $$! || status=1; \
	$(GOTEST) -p 2 -exec "flock $(CURDIR) $(AS_ROOT)" $(addprefix ./,$(ALONE)) || status=1; \
	exit $$status; } 2>&1 | go run .ci/gotest.go .ci/skips

# The race detector slows programs down several times: the packages that run goroutines on
# shared data and measure no time. Not internal/serve/pages, whose tests measure time and drive a
# browser. It needs a C compiler.
RACED := ./internal/socket/tpacket ./internal/proto/gtpu ./internal/proto/pfcp ./upf ./upf/n3 ./upf/journal ./upf/n4/... ./internal/lab/smf ./internal/lab/n4load ./internal/results/store ./internal/results/live \
	./internal/report/export/live ./internal/lab/apps/... ./internal/traffic ./internal/traffic/sender ./internal/lab/bench ./internal/measure/engine ./internal/measure/meters ./internal/lab/dut/process ./internal/measure/resilience \
	./internal/fleet ./internal/fleet/agent ./internal/fleet/hub $(addprefix ./upf/datapath/,afpacket forward memory mirror n3socket plan tun)
# Hosts that measure together keep time in the other tests.
RACED_HOSTS := TestMessages|TestSessionsInAMessage|TestOffset|TestRefused|TestBackEvery|FuzzAnswer

race:
	@set -o pipefail; CGO_ENABLED=1 go test -race -vet=off -count=1 -timeout 5m $(RACED) | grep -v 'no test files'
	@CGO_ENABLED=1 go test -race -vet=off -count=1 -timeout 5m -run '^($(RACED_HOSTS))$$' ./internal/traffic/hosts

fuzz:
	@.ci/fuzz

# Each prints its figures; the command that repeats it is in them.
INPUTS := 10000000
SEED := 1
campaign:
	go test -run TestCampaign -v -count=1 -timeout 0 ./upf/n4 -pfcp.inputs=$(INPUTS) -pfcp.seed=$(SEED)
	go test $(if $(SUDO),-exec "$(SUDO)") -run TestDifferentialCampaign -v -count=1 -timeout 24h ./upf/datapath/xdp -campaign $(INPUTS) -campaign-seed $(SEED)

# Intervals and verdicts against the truth. `make test` only tries each row.
UPDATE :=
coverage:
	go test -count=1 -timeout 30m -run '^TestCoverage$$' ./internal/check/coverage -full $(UPDATE) -v

# How often the truth of a device that shares no code lies within the intervals: half an hour on a quiet machine.
truth: build
	CGO_ENABLED=0 go -C tools build -o truth/truth ./truth
	$(SUDO) tools/truth/truth -upflab ./upflab $(ARGS)

# Not a part of `make test`, which works without a network: the database is at vuln.go.dev. GOVULNDB
# names another one, such as a copy: GOVULNDB=file:///srv/vulndb make vulncheck.
vulncheck:
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 $(if $(GOVULNDB),-db $(GOVULNDB)) ./...

# Each guest takes two to three minutes without KVM. The first call downloads the kernels, 0.6 GB.
KERNELS :=
kernels:
	@$(SUDO) .ci/kernels $(KERNELS)

# Needs QEMU and a kernel, see docs/vm.md; no root.
instructions: build
	./upflab run instructions $(ARGS)

BOOTS := 1
instructions-proof:
	UPFLAB_EMULATED=1 go test -count=1 -timeout 4h -v ./internal/e2e -run TestInstructionsSeeAPercent -boots $(BOOTS)

kills:
	go test $(if $(SUDO),-exec "$(SUDO)") -count=1 -timeout 6h -v ./internal/e2e -run 'TestKilledAnywhere|TestShortRuns' -kills 50 -short-runs 200

format:
	@files=$$(gofmt -l .); [ -z "$$files" ] || { echo "not formatted, run gofmt -w on:"; echo "$$files"; exit 1; }

vet: govet staticcheck

govet:
	go vet ./...
	go build -tags nohub ./internal/fleet/hub

staticcheck:
	go tool staticcheck ./...

generated:
	@.ci/generated

# What makes the releases is a module of its own, tools:
# its libraries are not upflab's.
tools:
	go -C tools vet ./...
	go -C tools test -count=1 ./...

# The documentation as a web site, with a search, in dist/site.
site:
	go run ./internal/cli/docsite

# The English of what a user reads. The rules are in docs/.vale.
words:
	@.ci/words

release:
	rm -rf dist
	go -C tools run ./release -source .. $(if $(ARCH),-arch $(ARCH)) $(if $(SIGN),-sign $(abspath $(SIGN)))
	$(SUDO) .ci/try-package dist

# From a clone at another path and with an empty build cache.
verify-release:
	go -C tools run ./release -source .. $(if $(ARCH),-arch $(ARCH)) $(if $(KEY),-key $(abspath $(KEY))) -verify $(CURDIR)/dist

clean:
	@if [ -x upflab ]; then $(SUDO) ./upflab clean; fi
	rm -f upflab upflab-kubernetes

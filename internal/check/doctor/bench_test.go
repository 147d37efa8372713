package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
)

// trials are those of both directions, with so many received and wrong.
func trials(received, wrong uint64) []record.Trial {
	t := record.Trial{
		Direction: "uplink", Sending: record.Sending{Intended: 1000},
		Traffic: record.Traffic{TxPackets: 1000, RxPackets: received, Wrong: wrong, Latency: &record.Latency{P50: 8300}},
	}
	down := t
	down.Direction, down.RxPackets, down.Wrong, down.Latency = "downlink", 1000, 0, nil
	return []record.Trial{t, down}
}

func TestJudgeBench(t *testing.T) {
	for _, c := range []struct {
		story string
		dut   record.DUT
		want  Finding
	}{
		{"all came", record.DUT{Status: record.StatusOK, Trials: trials(1000, 0)},
			Finding{State: OK, Detail: "uplink 1000 of 1000 after 8.30 µs, downlink 1000 of 1000 (median)"}},
		{"some are lost", record.DUT{Status: record.StatusOK, Trials: trials(990, 0)},
			Finding{State: Warn, Detail: "uplink 990 of 1000 after 8.30 µs, downlink 1000 of 1000 (median)"}},
		{"some are wrong", record.DUT{Status: record.StatusOK, Trials: trials(990, 10)},
			Finding{State: Missing, Detail: "uplink 990 of 1000 after 8.30 µs, downlink 1000 of 1000 (median); 10 arrived wrong"}},
		{"did not come up", record.DUT{Status: record.StatusFailed, Error: "wire: starting: no"},
			Finding{State: Missing, Detail: "starting: no"}},
		{"ended, with a log", record.DUT{Status: record.StatusFailed, Error: "wire: ended", LogTail: "panic"},
			Finding{State: Missing, Detail: "ended; its log ended: panic"}},
		{"nothing was measured", record.DUT{Status: record.StatusOK}, Finding{State: Missing, Detail: "nothing was measured"}},
	} {
		t.Run(c.story, func(t *testing.T) { compare(t, judgeBench("wire", c.dut), c.want) })
	}
}

// TestBenchOnBusyMachine: what was late while others had the CPUs is left open, and nothing else.
func TestBenchOnBusyMachine(t *testing.T) {
	died := judgeBench("wire", record.DUT{Status: record.StatusFailed, Error: "wire: nothing arrived"})
	late := fmt.Errorf("wire: probing: %w", &smf.TimeoutError{})
	slow := fmt.Errorf("eupf: %w", dut.Late(errors.New("was not ready within 15s")))
	if got := onBusyMachine(died, late, nil); got.State != Missing {
		t.Errorf("on a quiet machine: %s", got.State)
	}
	if got := onBusyMachine(died, slow, []string{"cc1 100 %"}); got.State != Busy {
		t.Errorf("not ready in time: %s", got.State)
	}
	got := onBusyMachine(died, late, []string{"3.1 % stolen", "cc1 100 %"})
	if got.State != Busy || !strings.Contains(got.Detail, "3.1 % stolen; cc1 100 %") || !strings.Contains(got.Fix, died.Fix) {
		t.Errorf("on a busy machine: %+v", got)
	}
	fine := judgeBench("wire", record.DUT{Status: record.StatusOK, Trials: trials(1000, 0)})
	if got := onBusyMachine(fine, nil, []string{"cc1 100 %"}); got.State != OK {
		t.Errorf("it worked: %s", got.State)
	}
	altered := judgeBench("wire", record.DUT{Status: record.StatusOK, Trials: trials(1000, 3)})
	if got := onBusyMachine(altered, nil, []string{"cc1 100 %"}); got != altered {
		t.Errorf("packets are altered: %+v", got)
	}
	for _, why := range []error{unix.EPERM, errors.New("the kernel refused the program"), &ebpf.VerifierError{Cause: unix.EACCES}} {
		if got := onBusyMachine(died, fmt.Errorf("wire: starting: %w", why), []string{"cc1 100 %"}); got != died {
			t.Errorf("%v: %+v", why, got)
		}
	}
}

// TestOthers: both what a hypervisor takes and what other programs take are the machine's being busy.
func TestOthers(t *testing.T) {
	e := &exam{}
	e.others(judgeSteal(0.001))
	e.others(judgeSteal(0.1))
	e.others(judgeLoad(nil, "0.00 0.00"))
	e.others(judgeLoad([]usage{{1, "cc1", time.Second}}, ""))
	if len(e.busy) != 2 || !strings.Contains(e.busy[0], "10.0 %") || !strings.Contains(e.busy[1], "cc1") {
		t.Errorf("others do %q", e.busy)
	}
}

func TestLeftovers(t *testing.T) {
	live := host.Record{Run: "aaaaa", PID: 7, Live: true, Owns: []string{"namespace upflab-aaaaa-ran"}}
	stale := host.Record{Run: "bbbbb", Owns: []string{"process 9", "n1", "n2", "n3", "n4"}}
	compare(t, judgeLeftovers([]host.Record{live}), Finding{State: OK, Detail: "none"})
	compare(t, judgeLeftovers([]host.Record{live, stale}), Finding{State: Warn, Detail: "process 9, n1, n2, n3 and 1 more"})
	compare(t, runs(context.Background(), &exam{}), Finding{State: OK, Detail: "none"})
	compare(t, runs(context.Background(), &exam{records: []host.Record{live, stale}}), Finding{State: Warn, Detail: "aaaaa (process 7)"})
	compare(t, leftovers(context.Background(), &exam{unread: errors.New("no")}), Finding{State: Missing, Detail: "no"})
}

// someDUT is a driver that starts nothing.
type someDUT struct {
	info    dut.Info
	version string
	err     error
}

func (d someDUT) Info() dut.Info             { return d.info }
func (d someDUT) Installed() (string, error) { return d.version, d.err }
func (d someDUT) Start(context.Context, dut.Env) (*dut.Instance, error) {
	return nil, errors.New("not to be started")
}

func TestInstalled(t *testing.T) {
	info := dut.Info{Name: "eupf", Summary: "eUPF"}
	for _, c := range []struct {
		dut  someDUT
		want Finding
	}{
		{someDUT{info: info, version: "v0.7.1"}, Finding{State: OK, Detail: "eUPF; version v0.7.1"}},
		{someDUT{info: info, err: errors.New("eupf is not installed: see there")},
			Finding{State: Info, Detail: "eupf is not installed: see there"}},
		{someDUT{info: dut.Info{Name: "external", External: true, Summary: "elsewhere"}}, Finding{State: Info, Detail: "elsewhere"}},
	} {
		compare(t, installed(c.dut)(context.Background(), &exam{}), c.want)
	}
}

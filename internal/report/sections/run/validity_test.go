package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// TestCauses: a trial's cause says what its evidence says. Where the hypervisor took next to
// nothing, it is not the host that paused the CPUs.
func TestCauses(t *testing.T) {
	for _, c := range []struct {
		limit  record.Limit
		faults []record.Fault
		want   string
	}{
		{record.LimitHost, []record.Fault{record.FaultNotSent}, "generator kept from CPU"},
		{record.LimitHost, []record.Fault{record.FaultCatchUp}, "generator kept from CPU"},
		{record.LimitHost, []record.Fault{record.FaultNotSent, record.FaultSteal}, "CPUs stolen"},
		{record.LimitGenerator, []record.Fault{record.FaultNotSent}, "rate missed"},
		{record.LimitHost, []record.Fault{record.FaultSteal, record.FaultThrottled}, "CPU limit reached"},
		{record.LimitHost, []record.Fault{record.FaultWrong}, "wrong packets"},
		{record.LimitHost, nil, "its reason"},
	} {
		v := view.Verdict{Trial: &record.Trial{Judgement: record.Judgement{LimitedBy: c.limit, Reasons: []string{"its reason"}},
			Faults: c.faults}}
		if got := causeOf(v); got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.limit, c.faults, got, c.want)
		}
	}
}

// TestMoreThanTheReference: a UPF that received 115 % of what wire did is not shown as 100 %.
func TestMoreThanTheReference(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{
		{Name: "wire", Reference: true, Trials: repeats(record.LimitLink, 2e6)},
		{Name: "eupf", Mode: "native", Trials: repeats(record.LimitDUT, 2.3e6)},
	}}
	v := view.New(r)
	upf := v.UPFs[slices.IndexFunc(v.UPFs, func(d *view.UPF) bool { return !d.Reference })]
	for _, h := range v.Headlines(upf) {
		if lines := howFast(v, h, unitOf(v)); !strings.Contains(lines[0].Text, ", 115 % of wire") {
			t.Errorf("%+v", lines)
		}
	}
}

// TestStolenTimeIsWhatIsReported: a hypervisor that reports nothing may have paused the CPUs.
func TestStolenTimeIsWhatIsReported(t *testing.T) {
	v := view.New(&record.Result{Host: record.Host{StealRatio: 0.0007}})
	for _, f := range Environment(v).Blocks[0].(block.Facts).List {
		if f.Name == "Stolen time" && !strings.Contains(f.Value, "as far as the hypervisor reports it") {
			t.Errorf("%q", f.Value)
		}
	}
}

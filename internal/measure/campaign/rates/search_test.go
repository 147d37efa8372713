package rates

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/duttest"
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
)

// TestWireIsMeasuredWhereUPFsWere: each rate that was found, once.
func TestWireIsMeasuredWhereUPFsWere(t *testing.T) {
	at := func(pps float64, direction string, repeat int, load string) record.Trial {
		return record.Trial{Kind: record.KindLatency, Direction: record.Direction(direction), Repeat: repeat, Load: loadAt(load, pps)}
	}
	r := &kit.Book{Plan: &plan.Plan{}, Result: &record.Result{DUTs: []record.DUT{
		{Name: "wire", Reference: true, Searches: []record.Search{{Direction: "uplink", Repeat: 1, NDRPPS: 1e6}},
			Trials: []record.Trial{at(1e5, "uplink", 1, "10 % of NDR")}},
		{Name: "builtin", Mode: "xdp", Searches: []record.Search{{Direction: "uplink", Repeat: 1, NDRPPS: 8e5},
			{Direction: "uplink", Repeat: 2, NDRPPS: 7e5}},
			Trials: []record.Trial{at(1000, "uplink", 1, "1k"), at(4e5, "uplink", 1, "50 % of NDR"),
				at(4e5, "uplink", 1, "50 % of NDR"), at(7e5, "uplink", 2, "100 % of NDR")}},
		{Name: "eupf", Searches: []record.Search{{Direction: "downlink", Repeat: 1, ThroughputPPS: 5e5}},
			Trials: []record.Trial{at(5e5, "downlink", 1, "100 % of throughput")}},
	}}}
	r.Plan.Targets = []dut.Target{{Driver: duttest.None{Name: "wire"}}, {Driver: duttest.None{Name: "builtin"}, Mode: "xdp"}, {Driver: duttest.None{Name: "eupf"}}}
	var got []string
	for _, x := range FoundLatencies(r, 1) {
		got = append(got, string(x.Direction)+" "+x.Load.String())
	}
	if want := []string{"uplink 50 % of NDR of builtin:xdp", "downlink 100 % of throughput of eupf"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// loadAt is the load of that text with the rate that it came to.
func loadAt(text string, pps float64) (l record.Load) {
	if err := l.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	l.PPS = pps
	return l
}

// TestTrialsOfWhichNearlyAllWasSent count in a search; those of which less was sent, or
// with which something else is wrong, do not.
func TestTrialsOfWhichNearlyAllWasSent(t *testing.T) {
	for _, c := range []struct {
		sent   uint64
		faults []record.Fault
		want   bool
	}{
		{998_000, []record.Fault{record.FaultNotSent}, true},
		{997_000, []record.Fault{record.FaultNotSent}, false},
		{1_002_000, []record.Fault{record.FaultNotSent}, false},
		{998_000, []record.Fault{record.FaultNotSent, record.FaultCatchUp}, false},
		{998_000, []record.Fault{record.FaultSteal}, false},
		{0, []record.Fault{record.FaultNotSent}, false},
	} {
		if got := nearlyAll(record.Trial{Sending: record.Sending{Intended: 1_000_000},
			Traffic: record.Traffic{TxPackets: c.sent}, Faults: c.faults}); got != c.want {
			t.Errorf("%d of a million, %v: %v", c.sent, c.faults, got)
		}
	}
}

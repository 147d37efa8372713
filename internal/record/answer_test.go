package record

import (
	"strings"
	"testing"
)

func TestUnanswered(t *testing.T) {
	good := Trial{Kind: KindLoad, Direction: Uplink, PacketSize: PacketSize{PayloadBytes: 1400}, Judgement: Judgement{Valid: true}}
	bad := Trial{Kind: KindLoad, Direction: Uplink, PacketSize: PacketSize{PayloadBytes: 1400}}
	latency := Trial{Kind: KindLatency, Direction: Uplink, PacketSize: PacketSize{PayloadBytes: 1400}}
	at := func(t Trial, pps float64) Trial {
		t.Load = Load{PPS: pps}
		return t
	}
	none := []SafeLoad{{Direction: Uplink, Size: "1400", Target: LoadTarget{P99NS: 1e6, LossRatio: 0.001}}}
	some := []SafeLoad{{Direction: Uplink, Size: "1400", Target: LoadTarget{P99NS: 1e6}, PPS: 1000}}
	for _, c := range []struct {
		story string
		dut   DUT
		want  string
	}{
		{"a safe load", DUT{Stress: &Stress{}, SafeLoads: some, Trials: []Trial{at(bad, 1000), at(good, 2000)}}, ""},
		{"no load keeps the target", DUT{Stress: &Stress{}, SafeLoads: none, Trials: []Trial{at(bad, 1000), at(good, 1000), at(bad, 2000)}}, ""},
		{"the lowest load is not valid", DUT{Stress: &Stress{}, SafeLoads: none, Trials: []Trial{at(bad, 1000), at(good, 2000)}},
			"eupf uplink safe load for p99 1ms, loss 0.001"},
		{"all valid", DUT{Trials: []Trial{good}}, ""},
		{"one of two loads", DUT{Trials: []Trial{bad, good}}, ""},
		{"no load", DUT{Trials: []Trial{bad, bad}}, "eupf uplink rate of 1400"},
		{"no latency", DUT{Trials: []Trial{good, latency}}, "eupf uplink latency of 1400"},
		{"of wire", DUT{Reference: true, Trials: []Trial{bad}}, ""},
		{"a search", DUT{Searches: []Search{{Direction: Both, PacketSize: PacketSize{Size: "imix"}, Goals: []SearchGoal{{}}}}},
			"eupf both search of imix"},
		{"a second search found it", DUT{Searches: []Search{{Goals: []SearchGoal{{}}},
			{Goals: []SearchGoal{{Judgement: Judgement{Valid: true}}}}}}, ""},
		{"instructions of one repeat", DUT{Instructions: []Instructions{{Direction: Uplink, Valid: true}, {Direction: Uplink}}}, ""},
		{"a UPF that polls", DUT{Instructions: []Instructions{{Direction: Uplink, PacketSize: PacketSize{Size: "64"}}, {Procedure: "modify", Valid: true}}},
			"eupf instructions of uplink 64"},
		{"a flow", DUT{Flows: []AppFlow{{Kind: FlowTCP, Direction: Uplink}}}, "eupf tcp uplink"},
	} {
		c.dut.Name = "eupf"
		r := &Result{DUTs: []DUT{c.dut}}
		if got := strings.Join(r.Unanswered(), "; "); got != c.want {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
	}
	if (&Result{DUTs: []DUT{{Trials: []Trial{good, bad}}}}).AllValid() || !(&Result{DUTs: []DUT{{Trials: []Trial{good}}}}).AllValid() {
		t.Error("AllValid")
	}
	if (&Result{DUTs: []DUT{{Instructions: []Instructions{{Procedure: "modify"}}}}}).AllValid() {
		t.Error("AllValid of instructions")
	}
}

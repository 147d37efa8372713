package trials

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// TestHosts: each host has a row in each trial, and a line on its clock.
func TestHosts(t *testing.T) {
	r := &record.Result{Host: record.Host{Hostname: "c", Kernel: "6.1"}, Hosts: []record.Member{
		{Testbed: "rack1", Role: "generator", Host: "a", Kernel: "6.1", Device: "eth1", CPUs: []int{2, 3},
			GNB: "192.168.13.131", Clock: record.MemberClock{Same: true}},
		{Testbed: "rack2", Role: "sink", Host: "d", Kernel: "6.8", Device: "eth2", CPUs: []int{0},
			Clock: record.MemberClock{OffsetNS: -1500000, ErrorNS: 42000,
				PTP: &record.PTP{Ports: []string{"SLAVE"}, OffsetNS: -502, PathDelayNS: 2844, Steps: 1, Grandmaster: "5e3230.fffe.72da06"}}},
	}, DUTs: []record.DUT{{Name: "upf", Status: record.StatusOK,
		Trials: []record.Trial{{
			Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 1000}, Repeat: 1,
			Judgement: record.Judgement{Valid: true}, Traffic: record.Traffic{TxPackets: 1000, RxPackets: 990},
			ManyHosts: record.ManyHosts{
				Hosts: []record.HostShare{{Testbed: "rack1", TxPackets: 1000, StartNS: 1200},
					{Testbed: "rack2", RxPackets: 990, ClockErrorNS: 42000}},
			},
		}}}}}
	s := Hosts(view.New(r))
	if len(s.Blocks) != 2 {
		t.Fatalf("%d blocks", len(s.Blocks))
	}
	facts := s.Blocks[0].(block.Facts).List
	if len(facts) != 3 || !strings.Contains(facts[1].Value, "gNB 192.168.13.131") ||
		!strings.Contains(facts[1].Value, "CPU 2,3") ||
		!strings.Contains(facts[2].Value, "lacks -1.500 ms, known to 42.0 µs") ||
		!strings.Contains(facts[2].Value,
			"PTP: SLAVE, -502 ns off its master, 2844 ns of path delay, grandmaster 5e3230.fffe.72da06 at 1 steps") {
		t.Errorf("%+v", facts)
	}
	if rows := s.Blocks[1].(block.Table).Rows; len(rows) != 2 {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
	trial := &r.DUTs[0].Trials[0]
	trial.StartSkewNS, trial.Hosts[1].TxPackets = 12300, 7
	facts = Hosts(view.New(r)).Blocks[0].(block.Facts).List
	if len(facts) != 4 || !strings.Contains(facts[3].Value, "differ by 12.3 µs at most, and in 0 of 1 trials") {
		t.Errorf("%+v", facts)
	}
	if s := Hosts(view.New(&record.Result{})); len(s.Blocks) > 0 {
		t.Error("a run on one host has a section on hosts")
	}
}

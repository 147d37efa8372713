package builtin

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"sort"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/upf"
)

// counters reads the reference UPF's GET /counters.
type counters struct {
	testbed site.Site
	at      netip.AddrPort
}

func (c *counters) drops() ([]record.Count, error) {
	answer, err := c.testbed.UPF().HTTPClient(time.Second).Get(fmt.Sprintf("http://%s/counters", c.at))
	if err != nil {
		return nil, fmt.Errorf("read the reference UPF's counters: %w", err)
	}
	defer answer.Body.Close()
	var now upf.Counters
	if err := json.NewDecoder(answer.Body).Decode(&now); err != nil {
		return nil, fmt.Errorf("read the reference UPF's counters: %w", err)
	}
	var list []record.Count
	for reason, n := range now.Datapath.Drops {
		list = append(list, record.Count{Place: record.Place("builtin: " + reason), Packets: n})
	}
	var lost, missed uint64
	for _, w := range now.Datapath.Workers {
		lost, missed = lost+w.Lost, missed+w.Missed
	}
	for place, n := range map[record.Place]uint64{"builtin: refused by the kernel": lost, "builtin: packet socket ring full": missed} {
		if n > 0 {
			list = append(list, record.Count{Place: place, Packets: n})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Place < list[j].Place })
	return list, nil
}

// claims are what the reference UPF's metrics and GET /counters count, as docs/reference/upf-counters.md says.
func claims() []dut.Claim {
	return append(dut.Standard(),
		dut.Claim{Name: "upf_dropped_packets_total", Shown: dut.ByPrometheus, Of: dut.PacketsDropped},
		dut.Claim{Name: "/counters.datapath.accepted.packets", Shown: dut.ByREST, Of: dut.PacketsFromN3},
		dut.Claim{Name: "/counters.datapath.accepted.bytes", Shown: dut.ByREST, Of: dut.OctetsFromN3},
		dut.Claim{Name: "/counters.datapath.uplink.packets", Shown: dut.ByREST, Of: dut.PacketsToN6},
		dut.Claim{Name: "/counters.datapath.uplink.bytes", Shown: dut.ByREST, Of: dut.OctetsToN6},
		dut.Claim{Name: "/counters.datapath.downlink.packets", Shown: dut.ByREST, Of: dut.PacketsToN3},
		dut.Claim{Name: "/counters.datapath.downlink.bytes", Shown: dut.ByREST, Of: dut.OctetsToN3},
		dut.Claim{Name: "/counters.sessions", Shown: dut.ByREST, Of: dut.SessionsThereAre})
}

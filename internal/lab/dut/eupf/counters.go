package eupf

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/record"
)

// counters reads eUPF's REST interface.
type counters struct{ testbed site.Site }

// xdpStats is what /api/v1/xdp_stats gives: packets by verdict.
type xdpStats struct {
	Aborted uint64 `json:"aborted"`
	Drop    uint64 `json:"drop"`
	Pass    uint64 `json:"pass"`
}

func (c *counters) drops() ([]record.Count, error) {
	url := fmt.Sprintf("http://%s/api/v1/xdp_stats", netip.AddrPortFrom(c.testbed.Links().UPFN4.Addr, 8080))
	answer, err := c.testbed.UPF().HTTPClient(time.Second).Get(url)
	if err != nil {
		return nil, fmt.Errorf("read eUPF's counters: %w", err)
	}
	defer answer.Body.Close()
	var s xdpStats
	if err := json.NewDecoder(answer.Body).Decode(&s); err != nil {
		return nil, fmt.Errorf("read eUPF's counters from %s: %w", url, err)
	}
	return []record.Count{
		{Place: "eUPF: dropped by its program", Packets: s.Drop},
		{Place: "eUPF: aborted by its program", Packets: s.Aborted},
		{Place: "eUPF: passed to the kernel", Packets: s.Pass},
	}, nil
}

// claims are what eUPF's metrics count, by their names: it counts no octets.
func claims() []dut.Claim {
	return []dut.Claim{
		{Name: `upf_rx{packet_type="gtp-pdu"}`, Shown: dut.ByPrometheus, Of: dut.PacketsFromN3},
		{Name: "upf_xdp_redirect", Shown: dut.ByPrometheus, Of: dut.PacketsSent},
	}
}

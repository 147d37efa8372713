package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// Applications run through each UPF, after forwarding without one and the gateway alone.
// On a busy machine flows are not valid, but there.
func TestFlows(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	dir := filepath.Join(t.TempDir(), "result")
	upflab(t, []string{"run", shortFlows(t, "tcp", "ping", "http"), "--out", dir, "--dut", "builtin:xdp"}).finishes(0, 3)
	r := load(t, dir)
	if len(r.DUTs) != 3 || r.DUTs[0].Name != "n6" || r.DUTs[1].Name != "decap" || r.DUTs[2].Name != "builtin" {
		t.Fatalf("DUTs %+v", r.DUTs)
	}
	for _, d := range r.DUTs {
		if d.Reference != (d.Name != "builtin") || len(d.Flows) != 3 {
			t.Errorf("%s: reference %v, %d flows", d.Name, d.Reference, len(d.Flows))
			continue
		}
		checkFlows(t, d)
	}
}

// TestFlowsIPv6: applications of UEs with both families run over IPv6, both ways and through a UPF in the kernel and one
// in user space. IPv4 is there with them.
func TestFlowsIPv6(t *testing.T) {
	takesLong(t)
	t.Parallel()
	privileged(t)
	nothingLeft(t)
	const text = `
mtu: 1544
attempts: 1
sessions: 2
ue: {family: both}
flows:
  - {kind: tcp, duration: 1s}
  - {kind: tcp, duration: 1s, family: ipv6}
  - {kind: tcp, direction: downlink, duration: 1s, family: ipv6}
  - {kind: udp, duration: 1s, rate: 10, family: ipv6}
  - {kind: ping, duration: 1s, one_way: 100, beside: tcp-downlink, family: ipv6}
  - {kind: http, duration: 1s, family: ipv6}
  - {kind: voice, ues: 2, duration: 2s, family: ipv6}
  - {kind: xr, duration: 1s, family: ipv6}
`
	file, dir := filepath.Join(t.TempDir(), "six.yaml"), filepath.Join(t.TempDir(), "result")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	upflab(t, []string{"run", file, "--out", dir, "--dut", "builtin:xdp", "--dut", "builtin:tun"}).finishes(0, 3)
	r := load(t, dir)
	if len(r.DUTs) != 4 {
		t.Fatalf("%d DUTs, want n6, decap and both of builtin", len(r.DUTs))
	}
	for _, d := range r.DUTs {
		if len(d.Flows) != 8 {
			t.Errorf("%s: %d flows", d.Label(), len(d.Flows))
			continue
		}
		for i := range d.Flows {
			checkFlowIPv6(t, d.Label(), i, &d.Flows[i])
		}
	}
}

// checkFlowIPv6 wants data of a flow, of IPv6 in all but the first.
func checkFlowIPv6(t *testing.T, name string, i int, f *record.AppFlow) {
	t.Helper()
	what := name + " " + f.Kind + " " + string(f.Direction)
	if want := map[bool]string{false: "ipv6"}[i == 0]; f.Family != want {
		t.Errorf("%s: family %q, want %q", what, f.Family, want)
	}
	switch {
	case f.Kind == record.FlowPing && (f.Packets == 0 || f.Lost == f.Packets || len(f.OneWay) != 2 || f.OneWay[0].Lost == f.OneWay[0].Sent ||
		f.OneWay[1].Lost == f.OneWay[1].Sent):
		t.Errorf("%s: %d pings, %d lost, one way %+v, %q", what, f.Packets, f.Lost, f.OneWay, f.Reasons)
	case record.InFrames(f.Kind):
		if len(f.Frames) != 2 || f.Frames[0].Whole == 0 || f.Frames[1].Whole == 0 {
			t.Errorf("%s: frames %+v, %q", what, f.Frames, f.Reasons)
		}
	case f.Kind == record.FlowUDP && f.Octets != 1452:
		t.Errorf("%s: datagrams of %d octets", what, f.Octets)
	case f.Kind == record.FlowTCP && f.MSS != map[bool]int{true: 1448, false: 1428}[i == 0]:
		t.Errorf("%s: segments of %d octets", what, f.MSS)
	case f.Kind != record.FlowPing && f.GoodputBPS == 0:
		t.Errorf("%s: no goodput, %q", what, f.Reasons)
	}
}

// checkFlows wants data of TCP, ping and pages.
func checkFlows(t *testing.T, d record.DUT) {
	t.Helper()
	for i, kind := range []string{record.FlowTCP, record.FlowPing, record.FlowHTTP} {
		f := d.Flows[i]
		if f.Kind != kind || f.LimitedBy == "" {
			t.Errorf("%s: flow %d is %q, limited by %q", d.Name, i, f.Kind, f.LimitedBy)
		}
		if kind != record.FlowPing && f.GoodputBPS == 0 || kind != record.FlowTCP && f.RTT == nil {
			t.Errorf("%s, %s: goodput %v, RTT %v, %q", d.Name, kind, f.GoodputBPS, f.RTT, f.Reasons)
		}
	}
}

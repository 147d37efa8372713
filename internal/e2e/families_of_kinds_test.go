package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestIncidentsOfFamilies: incidents end with UEs of IPv6, and of both families, as with IPv4: downlink packets are kept
// while UEs are idle, and go to the new gNB after a handover. Report and result say what the UEs have.
func TestIncidentsOfFamilies(t *testing.T) { // not beside others: on a busy machine TUN keeps none
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	for _, c := range []struct {
		family, transport string
		says              []string // in the report
	}{
		{"ipv6", "ipv4", []string{"UEs have IPv6"}},
		{"both", "ipv6", []string{"UEs have IPv4 and IPv6", "N3 and N4 are over IPv6"}},
	} {
		dir := filepath.Join(t.TempDir(), "result")
		upflab(t, []string{"run", "resilience", "--dut", "builtin:xdp", "--dut", "builtin:tun", "--case", "handover.1", "--case", "idle.1",
			"--set", "ue.family=" + c.family, "--set", "transport=" + c.transport, "--out", dir}).finishes(0)
		r := load(t, dir)
		if r.Family != c.family || len(r.DUTs) != 2 {
			t.Fatalf("UEs of %q, %d DUTs", r.Family, len(r.DUTs))
		}
		for _, d := range r.DUTs {
			checkIncidents(t, d.Name+":"+d.Mode+" "+c.family, d.Incidents)
		}
		reportSays(t, dir, c.says)
	}
}

// TestIncidentsOfFamiliesElsewhere: UEs with IPv6 of a UPF that upflab did not start have incidents, too, where its owner has
// given N6 the addresses.
func TestIncidentsOfFamiliesElsewhere(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	makeLab(t)
	for ns, address := range map[string]string{upfNS: "2001:db8:6::1", peerNS: "2001:db8:6::2"} {
		ip(t, "-n "+ns+" address add "+address+"/64 dev n6 nodad")
	}
	netnsExec(t, upfNS, "sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding")
	ip(t, "-n "+upfNS+" -6 route add default via 2001:db8:6::2")
	startUPF(t, "native")
	for _, family := range []string{"ipv6", "both"} {
		dir := filepath.Join(t.TempDir(), "result")
		start(t, inNS(peerNS, program(), "run", "resilience", "--dut", "external", "--set", "external.n3_interface=n3",
			"--set", "external.n6_interface=n6", "--set", "ue.family="+family, "--case", "handover.1", "--case", "idle.1",
			"--out", dir)).finishes(0)
		r := load(t, dir)
		if r.Family != family || len(r.DUTs) != 1 {
			t.Fatalf("UEs of %q, %d DUTs", r.Family, len(r.DUTs))
		}
		checkIncidents(t, "external "+family, r.DUTs[0].Incidents)
	}
}

// checkIncidents takes the loss of a handover, at 10 000 packets/s by packet sockets, for the machine's unless it is all:
// that of one family of two would show at the 1000 packets/s of the other incident.
func checkIncidents(t *testing.T, name string, x []record.Incident) {
	t.Helper()
	if len(x) != 2 {
		t.Fatalf("%s: %d incidents", name, len(x))
	}
	for _, i := range x {
		if i.Problem != "" || i.Uplink == nil || i.Uplink.Lost == i.Uplink.Sent || i.Downlink.Lost == i.Downlink.Sent {
			t.Errorf("%s: %s: %+v, uplink %+v, downlink %+v", name, i.ID, i, i.Uplink, i.Downlink)
		}
	}
	if up := x[1].Uplink; up.Sent < 500 || up.Lost > up.Sent/10 {
		t.Errorf("%s: uplink of %s: %+v", name, x[1].ID, up)
	}
	if h := x[0].Handover; h == nil || h.EndMarkers != 1 || h.MarkedUEs != 1 || h.Misdelivered != 0 {
		t.Errorf("%s: handover %+v", name, h)
	}
	if k := x[1].Buffer; k == nil || k.Kept == 0 || k.Leaked != 0 || !k.Reported {
		t.Errorf("%s: buffer %+v", name, k)
	}
}

// reportSays looks for lines of a run's Markdown report.
func reportSays(t *testing.T, dir string, lines []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if !strings.Contains(string(b), line) {
			t.Errorf("%s does not say %q", dir, line)
		}
	}
}

// pagedControl pages UEs, and has rules with filters.
const pagedControl = `
name: paged-control
directions: [downlink]
loads: [max]
duration: 300ms
sessions: 10
latency: {rate: 1k, duration: 100ms}
control:
  procedures: [mix]
  mix: [{procedure: attach}, {procedure: detach}, {procedure: idle}, {procedure: active}, {procedure: handover}, {procedure: paging}]
  population: 50
  max: 500
  trial: 100ms
  shares: [0.5]
  capacity: 100
  pdrs: [16]
`

// TestControlPlaneOfFamilies: sessions of UEs with IPv6, over an N4 of either family, are established, paged and moved, and
// user packets find their rules.
func TestControlPlaneOfFamilies(t *testing.T) {
	takesLong(t)
	privileged(t)
	nothingLeft(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "paged.yaml")
	if err := os.WriteFile(file, []byte(pagedControl), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ family, transport string }{{"ipv6", "ipv4"}, {"both", "ipv6"}} {
		dir := filepath.Join(folder, c.family)
		upflab(t, []string{"run", file, "--dut", "builtin:xdp", "--dut", "builtin:tun", "--set", "ue.family=" + c.family,
			"--set", "transport=" + c.transport, "--out", dir}).finishes(0, 3) // 3: trials on a busy machine may be not valid
		r := load(t, dir)
		if r.Family != c.family || len(r.DUTs) != 3 {
			t.Fatalf("UEs of %q, %d DUTs", r.Family, len(r.DUTs))
		}
		for _, d := range r.DUTs[1:] {
			checkControl(t, d.Name+":"+d.Mode+" "+c.family, d.ControlPlane)
		}
		reportSays(t, dir, []string{"UEs have"})
	}
}

func checkControl(t *testing.T, name string, p *record.ControlPlane) {
	t.Helper()
	if p == nil || len(p.Incidents) > 0 || len(p.Rates) == 0 || len(p.Loads) == 0 {
		t.Fatalf("%s: %+v", name, p)
	}
	paged := false
	for _, part := range p.Loads[0].Parts {
		paged = paged || part.Procedure == "paging" && part.Done > 0
	}
	if !paged {
		t.Errorf("%s: no UE was paged: %+v", name, p.Loads[0].Parts)
	}
	if x := p.Capacity; x == nil || x.Sessions != 100 || x.TornDown != 100 {
		t.Errorf("%s: capacity %+v", name, x)
	}
	if len(p.Scales) != 1 || p.Scales[0].RxPPS <= 0 {
		t.Errorf("%s: packets/s with 16 PDRs: %+v", name, p.Scales)
	}
}

package externalran

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/lab/apps/iperf3"
	"github.com/upflab/upflab/internal/lab/apps/ping"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/measure/appflow"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

var (
	ueAddress = netip.MustParseAddr("192.0.2.2")
	dnAddress = netip.MustParseAddr("192.0.2.1")
)

// direct is a RAN that is a wire: a UE's interface in one namespace, the data network in
// another.
func direct(t *testing.T) (ue, dn *netdev.Namespace, c Config) {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("needs root: it makes network namespaces")
	}
	run := host.NewRunID()
	claim, err := host.NewClaimIn(t.TempDir(), run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { claim.Close() })
	made := map[string]*netdev.Namespace{}
	for _, role := range []string{"ue", "dn"} {
		ns, err := netdev.New(host.NamespaceName(run, role))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ns.Close() })
		made[role] = ns
	}
	ue, dn = made["ue"], made["dn"]
	ours := netdev.Port{NS: ue, Name: "uesimtun0", MAC: net.HardwareAddr{2, 0, 0, 0, 0, 2}, Addr: ueAddress, Prefix: 24}
	theirs := netdev.Port{NS: dn, Name: "n6", MAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}, Addr: dnAddress, Prefix: 24}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.HardwareAddr, attrs.MTU = ours.Name, ours.MAC, 1400
	err = ue.Netlink().LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: theirs.Name, PeerHardwareAddr: theirs.MAC,
		PeerNamespace: netlink.NsFd(dn.FD())})
	if err := errors.Join(err, ours.Configure(&theirs), theirs.Configure(&ours)); err != nil {
		t.Fatal(err)
	}
	c = Config{UE: scenario.ExternalUE{Interfaces: []string{"uesimtun0"}, Namespace: ue.Name, DNNamespace: dn.Name},
		Server: dnAddress, Claim: claim}
	c.Tools.Iperf, c.Tools.IperfMissing = iperf3.Find()
	c.Tools.Ping, c.Tools.PingMissing = ping.Find()
	return ue, dn, c
}

func opened(t *testing.T, c Config) *appflow.Ends {
	t.Helper()
	r, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	e, err := r.Ends(c.UE.Interfaces...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func flow(kind string) scenario.Flow {
	return scenario.Flow{Kind: kind, Direction: record.Uplink, UEs: 1, Streams: 1, OneWay: 50, Beside: scenario.BesideNothing,
		Duration: scenario.Duration{Duration: time.Second}, Interval: scenario.Duration{Duration: 50 * time.Millisecond}}
}

func TestFlowsByAnInterface(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	_, _, c := direct(t)
	e := opened(t, c)
	if e.MTU != 1400 || len(e.UEs) != 1 || e.UEs[0] != ueAddress {
		t.Fatalf("MTU %d, UEs %v", e.MTU, e.UEs)
	}
	for _, kind := range []string{scenario.FlowPing, scenario.FlowTCP, scenario.FlowHTTP} {
		f, err := e.Measure(t.Context(), flow(kind), 1)
		if err != nil || !f.Valid || len(f.OneWay) != 2 || f.OneWay[1].Lost > 0 || f.OneWay[1].Latency == nil {
			t.Errorf("%s: %+v, %v", kind, f, err)
		}
	}
}

// A RAN's interface goes with its PDU session.
func TestInterfaceVanishes(t *testing.T) {
	ue, _, c := direct(t)
	e := opened(t, c)
	link, err := ue.Netlink().LinkByName("uesimtun0")
	if err != nil {
		t.Fatal(err)
	}
	gone := time.AfterFunc(1500*time.Millisecond, func() { ue.Netlink().LinkDel(link) })
	defer gone.Stop()
	f := flow(scenario.FlowPing)
	f.Duration.Duration = 2 * time.Second
	got, err := e.Measure(t.Context(), f, 1)
	if reasons := strings.Join(got.Reasons, "; "); err != nil || got.Valid ||
		!strings.Contains(reasons, "the UE's interface uesimtun0") || !strings.Contains(reasons, "PDU session") {
		t.Errorf("valid %v, %q, %v", got.Valid, reasons, err)
	}
}

func TestOpenErrors(t *testing.T) {
	ue, _, c := direct(t)
	for words, change := range map[string]func(*Config){
		"no address here":                                            func(c *Config) { c.Server = netip.MustParseAddr("192.0.2.77") },
		"on the same host":                                           func(c *Config) { c.UE.DNNamespace, c.Server = ue.Name, ueAddress },
		"external_ue.namespace":                                      func(c *Config) { c.UE.Namespace = "upflab-none" },
		"no process upflab-none-such":                                func(c *Config) { c.UE.Processes = []string{"upflab-none-such"} },
		"external_ue.upf_process: no pro":                            func(c *Config) { c.UE.UPFProcess = "upflab-none-such" },
		"external_ue.interfaces: the UE's interface uesimtun1":       func(c *Config) { c.UE.Interfaces = []string{"uesimtun0", "uesimtun1"} },
		"external_ue.bench_interface: the UE's interface uesimtun8":  func(c *Config) { c.UE.BenchInterface = "uesimtun8" },
		"external_ue.direct_interface: the UE's interface uesimtun7": func(c *Config) { c.UE.DirectInterface = "uesimtun7" },
	} {
		bad := c
		change(&bad)
		if _, err := Open(bad); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, want %q", err, words)
		}
	}
	r, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Ends("uesimtun9"); err == nil || !strings.Contains(err.Error(), "uesimtun9") {
		t.Errorf("%v", err)
	}
}

// Other programs are told from the run's own where RAN and UPF are named.
func TestProgramsOfTheRun(t *testing.T) {
	_, _, c := direct(t)
	own, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	c.UE.Processes = []string{strings.TrimSpace(string(own))}
	if e := opened(t, c); e.PIDs != nil || e.RAN == nil {
		t.Errorf("the UPF's program is not named, and the run's are %v", e.PIDs)
	}
	c.UE.UPFProcess = c.UE.Processes[0]
	if e := opened(t, c); len(e.PIDs) < 3 {
		t.Errorf("programs %v", e.PIDs)
	}
}

func TestAddressIn(t *testing.T) {
	for text, want := range map[string]string{
		"5: uesimtun0    inet 10.45.0.2/32 scope global uesimtun0\\ valid_lft forever":                         "10.45.0.2",
		"2: a    inet 169.254.1.2/16 scope link a\\ x\n2: a    inet 10.1.2.3/24 brd 10.1.2.255 scope global a": "10.1.2.3",
		"": "invalid IP",
	} {
		if got, err := addressIn(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
}

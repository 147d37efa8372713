package appflow

import (
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/lab/apps/iperf3"
	"github.com/upflab/upflab/internal/lab/apps/ping"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// ends are two UEs and a server in one namespace: what is between them is not this
// package's business.
func ends(t *testing.T) *Ends {
	t.Helper()
	if os.Geteuid() != 0 && os.Getenv("CI") == "" {
		t.Skip("needs root: it makes a network namespace")
	}
	tool, err := iperf3.Find()
	if err != nil && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	pinger, failed := ping.Find()
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	run := host.NewRunID()
	claim, err := host.NewClaimIn(t.TempDir(), run)
	if err != nil {
		t.Fatal(err)
	}
	name := host.NamespaceName(run, "flow")
	if err := claim.AddNamespace(name); err != nil {
		t.Fatal(err)
	}
	ns, err := netdev.New(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := ns.Close(); err != nil {
			t.Error(err)
		}
		if err := claim.Close(); err != nil {
			t.Error(err)
		}
	})
	place := apps.Place{Namespace: ns, Claim: claim}
	return &Ends{UE: place, DN: place, UEs: []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.3")},
		Server: netip.MustParseAddr("127.0.0.1"), MTU: 1500, Tools: Tools{Iperf: tool, Ping: pinger},
		Usage: func() (telemetry.Sample, error) { return telemetry.Take(telemetry.Subject{CPUs: []int{0}}) }}
}

func measure(t *testing.T, e *Ends, f scenario.Flow) record.AppFlow {
	t.Helper()
	got, err := e.Measure(t.Context(), f, 1)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// asked is a flow of a second.
func asked(kind string, d record.Direction) scenario.Flow {
	return scenario.Flow{Kind: kind, Direction: d, UEs: 1, Streams: 1,
		Duration: scenario.Duration{Duration: time.Second}, Interval: scenario.Duration{Duration: 20 * time.Millisecond}}
}

// inOrder wants points each after the one before.
func inOrder(t *testing.T, series []record.AppPoint) {
	t.Helper()
	for i := 1; i < len(series); i++ {
		if series[i].T <= series[i-1].T {
			t.Errorf("the series goes back: %+v", series)
		}
	}
}

func TestTCP(t *testing.T) {
	f := asked(scenario.FlowTCP, record.Downlink)
	f.UEs = 2
	got := measure(t, ends(t), f)
	if !got.Valid || got.GoodputBPS <= 0 || len(got.PerUE) != 2 || got.Fairness < 0.5 || got.Fairness > 1 {
		t.Errorf("%+v", got)
	}
	inOrder(t, got.Series)
	if got.RTT == nil || got.RTT.Max < got.RTT.Min || len(got.Series) == 0 || got.MSS == 0 {
		t.Errorf("RTT %+v, series %+v", got.RTT, got.Series)
	}
	if len(got.CPUSeries) < 4 || got.CPUSeries[0].T > 0 || len(got.CPU.Busy) == 0 {
		t.Errorf("CPU %+v over time %+v: idle before and after belongs to it", got.CPU, got.CPUSeries)
	}
}

func TestUDP(t *testing.T) {
	f := asked(scenario.FlowUDP, record.Uplink)
	f.Rate = 10
	got := measure(t, ends(t), f)
	inOrder(t, got.Series)
	if !got.Valid || got.OfferedBPS != 10e6 || got.Octets != 1472 || got.Packets == 0 || got.GoodputBPS > 12e6 || got.GoodputBPS < 5e6 {
		t.Errorf("%+v", got)
	}
}

func TestPingWithTrafficBeside(t *testing.T) {
	f := asked(scenario.FlowPing, record.Uplink)
	f.Beside = "tcp-downlink"
	got := measure(t, ends(t), f)
	if !got.Valid || got.RTT == nil || got.Packets < 30 || got.Beside != f.Beside || got.BesideBPS == 0 || got.Direction != record.Both {
		t.Errorf("%+v", got)
	}
}

func TestPages(t *testing.T) {
	f := asked(scenario.FlowHTTP, record.Uplink)
	f.UEs, f.Streams = 2, 2
	got := measure(t, ends(t), f)
	if !got.Valid || got.Packets < 4 || got.Lost > 0 || got.FirstByte == nil || got.RTT == nil ||
		got.FirstByte.P50 > got.RTT.Max || got.Octets != defaultPage {
		t.Errorf("%+v", got)
	}
}

// One-way latency is there both ways while an application runs.
func TestOneWay(t *testing.T) {
	f := asked(scenario.FlowPing, record.Uplink)
	f.OneWay = 100
	got := measure(t, ends(t), f)
	if !got.Valid || len(got.OneWay) != 2 || got.OneWay[0].Direction != record.Uplink || got.OneWay[1].Direction != record.Downlink {
		t.Fatalf("%+v", got)
	}
	for _, w := range got.OneWay {
		if w.Sent < 20 || w.Sent > 1000 || w.Lost > 0 || w.Latency == nil || w.Latency.Count != w.Sent ||
			w.Latency.P99 > w.Latency.Max || len(w.Series) < 2 {
			t.Errorf("%s: %+v", w.Direction, w)
		}
	}
}

// What cannot be reached is told, and the run goes on.
func TestNobodyAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
	e := ends(t)
	e.Server = netip.MustParseAddr("192.0.2.1") // not of the namespace
	for kind, words := range map[string]string{scenario.FlowTCP: "192.0.2.1", scenario.FlowPing: "ping", scenario.FlowHTTP: "pages"} {
		got := measure(t, e, asked(kind, record.Uplink))
		if got.Valid || len(got.Reasons) == 0 {
			t.Errorf("%s: valid, %+v", kind, got)
			continue
		}
		if text := strings.Join(got.Reasons, "; "); !strings.Contains(text, words) && !strings.Contains(text, "listen") {
			t.Errorf("%s: %q", kind, text)
		}
	}
}

// TCP that stalls in the middle is not valid, with how long it did.
func TestTCPStalls(t *testing.T) {
	e := ends(t)
	f := asked(scenario.FlowTCP, record.Uplink)
	f.Duration.Duration = 4 * time.Second
	lo, err := e.UE.Namespace.Netlink().LinkByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	down := time.AfterFunc(1500*time.Millisecond, func() { e.UE.Namespace.Netlink().LinkSetDown(lo) })
	up := time.AfterFunc(4500*time.Millisecond, func() { e.UE.Namespace.Netlink().LinkSetUp(lo) })
	defer func() { down.Stop(); up.Stop() }()
	got := measure(t, e, f)
	if text := strings.Join(got.Reasons, "; "); got.Valid || !strings.Contains(text, "TCP stalled") && !strings.Contains(text, "iperf3") {
		t.Errorf("valid %v, stalled for %v s, %q", got.Valid, got.StalledS, text)
	}
}

func TestTooFewUEs(t *testing.T) {
	f := asked(scenario.FlowTCP, record.Uplink)
	f.UEs = 3
	if got := measure(t, ends(t), f); got.Valid {
		t.Errorf("%+v", got)
	}
}

func TestJain(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{1}, 0}, {[]float64{2, 2}, 1}, {[]float64{4, 0}, 0.5}} {
		if got := jain(c.values); got != c.want {
			t.Errorf("%v: %v, want %v", c.values, got, c.want)
		}
	}
}

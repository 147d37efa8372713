package iperf3

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// report reads what iperf3 3.12 wrote.
func report(t testing.TB, name string) *Report {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestResult(t *testing.T) {
	for _, c := range []struct {
		name                  string
		retransmits           uint64
		packets, lost         uint64
		tcp                   bool
		goodputLow, goodputHi float64
	}{
		{"tcp-up", 15, 0, 0, true, 11.02e9, 11.03e9},
		{"tcp-down", 13, 0, 0, true, 20.3e9, 20.5e9},
		{"udp-up", 0, 71406, 1161, false, 393e6, 394e6},
		{"udp-down", 0, 35724, 449, false, 197e6, 198e6},
	} {
		r := report(t, c.name).Result()
		if r.Retransmits != c.retransmits || r.Packets != c.packets || r.Lost != c.lost {
			t.Errorf("%s: %d retransmits, %d of %d lost", c.name, r.Retransmits, r.Lost, r.Packets)
		}
		if r.GoodputBPS < c.goodputLow || r.GoodputBPS > c.goodputHi {
			t.Errorf("%s: goodput %v", c.name, r.GoodputBPS)
		}
		if (r.MeanRTT > 0) != c.tcp || r.MinRTT > r.MeanRTT || r.MeanRTT > r.MaxRTT {
			t.Errorf("%s: rtt %v %v %v", c.name, r.MinRTT, r.MeanRTT, r.MaxRTT)
		}
		if len(r.Series) != 2 || r.Series[1].EndS < 1.9 || r.Series[0].GoodputBPS == 0 || (r.Series[0].Cwnd > 0) != c.tcp {
			t.Errorf("%s: series %+v", c.name, r.Series)
		}
		if r.SenderCPU <= 0 || r.ReceiverCPU <= 0 {
			t.Errorf("%s: CPU %v and %v", c.name, r.SenderCPU, r.ReceiverCPU)
		}
		if (r.Jitter > 0) == c.tcp {
			t.Errorf("%s: jitter %v", c.name, r.Jitter)
		}
	}
}

// Which end is the sender decides whose CPU is which: in the samples the server of
// tcp-up received with 0.37 cores, and that of udp-down sent with 0.13.
func TestResultSides(t *testing.T) {
	if up := report(t, "tcp-up").Result(); up.ReceiverCPU < 0.36 || up.ReceiverCPU > 0.37 {
		t.Errorf("receiver of tcp-up: %v cores", up.ReceiverCPU)
	}
	if down := report(t, "udp-down").Result(); down.SenderCPU < 0.12 || down.SenderCPU > 0.14 {
		t.Errorf("sender of udp-down: %v cores", down.SenderCPU)
	}
}

func TestNothingArrived(t *testing.T) {
	r := report(t, "udp-up")
	r.End.Received.Bytes, r.End.Sum.Lost = 0, 0
	if got := r.Result(); got.LossRatio != 1 {
		t.Errorf("loss %v, want 1", got.LossRatio)
	}
}

func TestParseErrors(t *testing.T) {
	refused, err := os.ReadFile("testdata/refused.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, words string }{
		{"", "reported nothing"},
		{"iperf3: error", "cannot be read"},
		{"{}", "no totals"},
		{string(refused), "Connection refused"},
	} {
		if _, err := Parse([]byte(c.in)); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%.20q: error %v, want %q", c.in, err, c.words)
		}
	}
}

func TestVersion(t *testing.T) {
	v, err := parseVersion("iperf 3.12 (cJSON 1.7.15)\nLinux\n")
	if err != nil || v != (Version{3, 12}) || v.before(Oldest) {
		t.Errorf("%v, %v", v, err)
	}
	if old, _ := parseVersion("iperf 3.1.3\n"); !old.before(Oldest) {
		t.Errorf("%v is not too old", old)
	}
	if _, err := parseVersion("iperf version 2.1.8\n"); err == nil {
		t.Error("iperf 2 was taken for iperf3")
	}
}

func TestClientArguments(t *testing.T) {
	args := Tool{Path: "iperf3"}.Client(Options{Server: netip.MustParseAddr("192.0.2.1"), Port: 5201, Bind: netip.MustParseAddr("10.45.0.2"),
		UDP: true, Reverse: true, Streams: 2, RateBPS: 5e9, Duration: 5 * time.Second, Interval: 500 * time.Millisecond, Length: 1400})
	line := strings.Join(args, " ")
	for _, want := range []string{"--bitrate 5000000000", "--bind 10.45.0.2", "--udp", "--reverse", "--parallel 2",
		"--time 5 ", "--interval 0.5", "--length 1400"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q has no %q", line, want)
		}
	}
	if line := strings.Join(Tool{}.Client(Options{Omit: time.Second}), " "); !strings.Contains(line, "--omit 1") {
		t.Errorf("%q does not omit slow start", line)
	}
	if slices.Contains(Tool{}.Client(Options{}), "--udp") {
		t.Error("TCP has --udp")
	}
}

// What iperf3 omitted is in no series: slow start is no goodput.
func TestOmittedIntervals(t *testing.T) {
	r := &Report{Intervals: []Interval{{Sum: Sum{Seconds: 1, BPS: 1, Omitted: true}},
		{Sum: Sum{Seconds: 0.5, BPS: 9, Bytes: 5}}, {Sum: Sum{Seconds: 0.5, BPS: 8, Bytes: 5}},
		{Sum: Sum{Seconds: 0.01}}}}
	if list := intervals(r); len(list) != 2 || list[0].Sum.BPS != 9 {
		t.Errorf("%+v", list)
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	for _, name := range []string{"tcp-up", "tcp-down", "udp-up", "udp-down", "refused"} {
		b, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Parse(b)
		if err != nil {
			return
		}
		got := r.Result()
		if got.LossRatio < 0 || got.LossRatio > 1 || got.GoodputBPS < 0 {
			t.Errorf("%+v", got)
		}
	})
}

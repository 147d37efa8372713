package upgvpp

import (
	"math"
	"os"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestParseNode(t *testing.T) {
	for _, c := range []struct {
		why, line string
		want      nodeTime
		ok        bool
	}{
		{"packets", "Thread 2 vpp_wk_0 (lcore 3)\nupf-gtpu4-input  active  10  2560  0  5.00e1  256.00",
			nodeTime{thread: 2, name: "upf-gtpu4-input", state: "active", calls: 10, vectors: 2560, clocks: 128000},
			true},
		{"polls in vain", "af-packet-input polling 1000 0 0 1.00e2 0.00",
			nodeTime{name: "af-packet-input", state: "polling", calls: 1000, clocks: 100000}, true},
		{"two words of state", "af-packet-input interrupt wa 10 20 0 1.00e3 2.00",
			nodeTime{name: "af-packet-input", state: "interrupt wa", calls: 10, vectors: 20, clocks: 20000}, true},
		{"a process", "statseg-collector-process time wait 0 0 3 5.00e4 0.00",
			nodeTime{name: "statseg-collector-process", state: "time wait", clocks: 150000}, true},
		{"the header", "Name State Calls Vectors Suspends Clocks Vectors/Call", nodeTime{}, false},
		{"a rate", "vector rates in 1.0e0, out 1.0e0, drop 0.0e0, punt 0.0e0", nodeTime{}, false},
		{"negative", "n active 1 -1 0 1.0 1.0", nodeTime{}, false},
	} {
		got := parseRuntime(c.line)
		if (len(got) == 1) != c.ok || c.ok && got[0] != c.want {
			t.Errorf("%s: %+v", c.why, got)
		}
	}
}

func TestAccount(t *testing.T) {
	var a account
	poll := func(calls, vectors, clocks float64) nodeTime {
		return nodeTime{name: "af-packet-input", state: "polling", calls: calls, vectors: vectors, clocks: clocks}
	}
	inside := nodeTime{name: "ip4-lookup", state: "active", calls: 10, vectors: 1000, clocks: 30000}
	cli := nodeTime{name: "unix-cli-process-1", state: "active", calls: 2, clocks: 1e13}
	sleeps := nodeTime{name: "unix-epoll-input", state: "polling", calls: 10, clocks: 500}
	for _, c := range []struct {
		why         string
		nodes       []nodeTime
		busy, total float64
	}{
		{"idle: 100 cycles a call", []nodeTime{poll(1000, 0, 100_000), sleeps}, 0, 100_500},
		{"half the calls find packets", []nodeTime{poll(1000, 1000, 300_000), inside, cli}, 200_000 + 30_000, 330_000},
		{"full", []nodeTime{poll(10, 2560, 501_000)}, 500_000, 501_000},
		{"nothing", nil, 0, 0},
	} {
		before := a.Work
		after := a.add(c.nodes)
		if busy, total := after.Busy-before.Busy, after.Total-before.Total; math.Abs(busy-c.busy) > 1e-6 || math.Abs(total-c.total) > 1e-6 {
			t.Errorf("%s: %v of %v, want %v of %v", c.why, busy, total, c.busy, c.total)
		}
	}
}

func FuzzRuntime(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(read(f, "testdata/runtime.txt"))
	f.Add("n s 0 0 0 NaN 0\nThread x\nThread")
	f.Fuzz(func(t *testing.T, text string) {
		var a account
		if w := a.add(parseRuntime(text)); w.Busy < 0 || w.Total < w.Busy*0.999 {
			t.Errorf("%+v", w)
		}
	})
}

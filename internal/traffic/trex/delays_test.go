package trex

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
	"github.com/upflab/upflab/internal/traffic"
)

// TestDelays: a quantile is the upper end of TRex's bucket, or the longest delay.
func TestDelays(t *testing.T) {
	for _, c := range []struct {
		name, text                string
		packets                   uint64
		count, p50, p99, max, min uint64
	}{
		{"all below 10 us", `{"lat":{"total_max":7,"total_min":2,"histogram":{"0":100}}}`, 100, 100, 7000, 7000, 7000, 2000},
		{"short ones left over from an earlier stream",
			`{"lat":{"total_max":250,"histogram":{"0":900,"10":50,"200":10}}}`, 100, 100, 20000, 250000, 250000, 10000},
		{"tens, hundreds", `{"lat":{"total_max":5000,"histogram":{"90":60,"100":30,"900":9,"2000":1}}}`, 100, 100,
			100000, 1000000, 3000000, 100000},
		{"nothing yet", `{"lat":{"total_max":0,"total_min":4294967295,"histogram":{}}}`, 3, 3, 10000, 10000, 10000, 10000},
		{"over a second", `{"lat":{"total_max":1500000,"histogram":{"0":8}}}`, 10, 10, 10000, 1500000000, 1500000000, 10000},
		{"first packets above the longest", `{"lat":{"total_max":45,"histogram":{"40":98,"300":2}}}`, 100, 100, 45000, 400000, 400000, 45000},
		{"no packets", `{}`, 0, 0, 0, 0, 0, 0},
	} {
		var g groupLatency
		if err := json.Unmarshal([]byte(c.text), &g); err != nil {
			t.Fatal(err)
		}
		h, err := g.delays(c.packets)
		if err != nil {
			t.Fatal(err)
		}
		near := func(a, b uint64) bool { return a <= b+b/100 && b <= a+a/100 } // the histogram's own resolution
		if h.Grid != traffic.Decimals {
			t.Errorf("%s: the delays are not known to be upper ends of buckets", c.name)
		}
		if h.Count != c.count || !near(h.Quantile(0.5), c.p50) || !near(h.Quantile(0.99), c.p99) || h.Max != c.max || h.Min != c.min {
			t.Errorf("%s: %d delays, p50 %d, p99 %d, max %d, min %d", c.name, h.Count, h.Quantile(0.5), h.Quantile(0.99), h.Max, h.Min)
		}
	}
	bad := groupLatency{}
	bad.Delay.Histogram = map[string]uint64{"ten": 1}
	if _, err := bad.delays(1); err == nil {
		t.Error("a bucket without a number was taken")
	}
}

// FuzzAnswer: whatever a server sends, its answers are read or refused, and nothing else.
func FuzzAnswer(f *testing.F) {
	fuzztest.Brief(f)
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"flow_stats":{"7":{"tp":{"0":5},"rp":{"1":4}}},"latency":{"7":{"lat":{"jit":1,"total_max":9,"histogram":{"0":4}},"er":{"drp":1}},"g":null},"ver_id":{}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"x","specific_err":"try again"}}`, `[{},{}]`, `null`, `[]`,
		`{"jsonrpc":"2.0","result":{"latency":{"7":{"lat":{"hdrh":"HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AsABQjAOT"}}}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text, err := unpack(text)
		if err != nil {
			return
		}
		var g groupStats
		if decode(text, []call{{"get_pgid_stats", nil}}, []any{&g}) != nil {
			return
		}
		for id := range uint32(10) {
			if x, err := g.of(id); err == nil {
				h, _ := x.latency.delays(at(x.flow.Received, 1))
				h.Quantile(0.99)
			}
		}
		var status portStatus
		var facts Facts
		decode(text, []call{{"get_port_status", nil}}, []any{&status})
		decode(text, []call{{"get_system_info", nil}}, []any{&facts})
	})
}

// FuzzFrames: nor do its frames do harm.
func FuzzFrames(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(unhex(f, libzmqGreeting+libzmqPong))
	f.Add([]byte("\x06\x7f\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		if readGreeting(r) == nil {
			readFrame(r)
		}
		readAnswer(r)
		readAnswer(bytes.NewReader(b))
		if len(b) >= 42 {
			answered(b, flows()[0].UPF)
		}
		h, _ := recorded(string(b))
		(&traffic.Histogram{}).Merge(&h)
	})
}

package threshold

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]struct {
		figure string
		op     Operator
		limit  Limit
		where  Where
	}{
		"rx_pps>=1M": {"rx_pps", AtLeast, Limit{Plus: 1e6}, Where{}},
		"latency.p99 < 100us @ uplink 500k": {"latency.p99", Below, Limit{Plus: 1e5},
			Where{Directions: []record.Direction{"uplink"}, Loads: []record.Load{{PPS: 5e5}}}},
		"frame_loss_ratio <= 0.1%":      {"frame_loss_ratio", AtMost, Limit{Plus: 0.001}, Where{}},
		"rx_pps >= 80% of wire @ max":   {"rx_pps", AtLeast, Limit{Of: "wire", Factor: 0.8}, Where{Loads: []record.Load{{}}}},
		"latency.p50 < 1.5*eupf:native": {"latency.p50", Below, Limit{Of: "eupf:native", Factor: 1.5}, Where{}},
		"latency.p50 < wire + 5µs @ latency": {"latency.p50", Below, Limit{Of: "wire", Factor: 1, Plus: 5000},
			Where{Kinds: []string{"latency"}}},
		"ndr_pps > open5gs:tap @ open5gs:tun": {"ndr_pps", Above, Limit{Of: "open5gs:tap", Factor: 1}, Where{DUTs: []string{"open5gs:tun"}}},
		"wrong == 0 @ frame:512 poisson eupf": {"wrong", Equals, Limit{},
			Where{Sizes: []string{"frame:512"}, Arrivals: []string{"poisson"}, DUTs: []string{"eupf"}}},
		"latency.p99 < 1ms @ 50% of NDR uplink": {"latency.p99", Below, Limit{Plus: 1e6},
			Where{Loads: []record.Load{{Kind: record.LoadShare, Share: 0.5, Of: "ndr"}}, Directions: []record.Direction{"uplink"}}},
		"program_instructions_per_packet <= 1.005 * eupf@old:native": {"program_instructions_per_packet", AtMost,
			Limit{Of: "eupf@old:native", Factor: 1.005}, Where{}},
		"rx_pps >= 99% of eupf@v1.2-3 @ eupf@new:native max": {"rx_pps", AtLeast, Limit{Of: "eupf@v1.2-3", Factor: 0.99},
			Where{DUTs: []string{"eupf@new:native"}, Loads: []record.Load{{}}}},
		"latency.p50 < eupf@a + 5µs@uplink": {"latency.p50", Below, Limit{Of: "eupf@a", Factor: 1, Plus: 5000},
			Where{Directions: []record.Direction{"uplink"}}},
		"rx_pps>=0.9*eupf@old@max":           {"rx_pps", AtLeast, Limit{Of: "eupf@old", Factor: 0.9}, Where{Loads: []record.Load{{}}}},
		"setup.start < 2s":                   {"setup.start", Below, Limit{Plus: 2}, Where{}},
		"memory_bytes < 1GiB":                {"memory_bytes", Below, Limit{Plus: 1 << 30}, Where{}},
		"flow.goodput_bps > 9.5Gbit/s @ tcp": {"flow.goodput_bps", Above, Limit{Plus: 9.5e9}, Where{Kinds: []string{"tcp"}}},
	} {
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got.Figure.Name != want.figure || got.Operator != want.op ||
			math.Abs(got.Limit.Plus-want.limit.Plus) > 1e-9 || got.Limit.Of != want.limit.Of ||
			got.Limit.Factor != want.limit.Factor || !reflect.DeepEqual(got.Where, want.where) {
			t.Errorf("%s: %s %s %+v %+v", text, got.Figure.Name, got.Operator, got.Limit, got.Where)
		}
	}
}

func TestParseErrorsSayWhatToDo(t *testing.T) {
	for text, want := range map[string]string{
		"rx_pps":                      "has no operator: write FIGURE >= LIMIT",
		"rx_pps != 3":                 "operators are >=, >, <=, < and ==",
		"rx_pp >= 1M":                 "did you mean rx_pps",
		"wibble >= 1M":                "`upflab scenario figures` lists all",
		"latency.p99 < 100":           "a time needs a unit: write 100us",
		"latency.p99 < 100k":          "the unit does not fit",
		"rx_pps >= ":                  "the limit is missing",
		"rx_pps >= fast!":             "is not a limit: write 1M",
		"rx_pps >= -1":                "is not a limit",
		"rx_pps >= 0 * wire":          "is not a number above 0",
		"rx_pps >= 1M @":              "nothing stands behind the @",
		"rx_pps >= 1M @ up,link":      "is not known here",
		"rx_pps >= 50% of Wire!":      "is not a DUT",
		"rx_pps >= 1M @ 0 % of NDR":   "above 0",
		"latency.p99 < 1us+wire":      "is not a limit",
		"latency.p99 < wire + 5":      "a time needs a unit",
		"rx_pps >= 1M @ uplink 500kk": "is not known here",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	f.Add("latency.p99 < wire + 5us @ uplink 50% of NDR frame:512")
	f.Add("rx_pps >= 1.5 * eupf:native @ max poisson")
	f.Fuzz(func(t *testing.T, text string) {
		one, err := Parse(text)
		if err != nil {
			return
		}
		if math.IsNaN(one.Limit.Plus) || math.IsInf(one.Limit.Plus, 0) || one.Limit.Of != "" && one.Limit.Factor <= 0 {
			t.Errorf("%q: limit %+v", text, one.Limit)
		}
		one.Check(&record.Result{DUTs: []record.DUT{{Name: "a", Trials: []record.Trial{{Kind: record.KindLoad, Direction: record.Uplink}}}}})
	})
}

// TestWhereNamesLoads: which loads a threshold's words mean, of trials as results have them.
func TestWhereNamesLoads(t *testing.T) {
	ndr := record.Load{Kind: record.LoadShare, PPS: 9e5, Share: 0.5, Of: record.GoalNDR}
	of := ndr
	of.OfDUT = "eupf:native"
	for _, c := range []struct {
		words string
		load  record.Load
		want  bool
	}{
		{"max", record.Load{}, true},
		{"max", record.Load{PPS: 20e3}, false},
		{"20k", record.Load{PPS: 20e3}, true},
		{"20k", record.Load{Kind: record.LoadSoak, PPS: 20e3}, true},
		{"20k", record.Load{Kind: record.LoadSoak, PPS: 20e3, Share: 0.5}, false},
		{"20k", record.Load{Kind: record.LoadRecorded, PPS: 20e3}, false},
		{"recorded", record.Load{Kind: record.LoadRecorded, PPS: 20e3}, true},
		{"50 % of NDR", ndr, true},
		{"50 % of NDR", of, true},
		{"10 % of NDR", ndr, false},
	} {
		w, err := parseWhere(c.words)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.takes(figure.Place{Key: record.Key{Load: c.load}}); got != c.want {
			t.Errorf("@ %s takes %+v: %v, want %v", c.words, c.load, got, c.want)
		}
	}
}

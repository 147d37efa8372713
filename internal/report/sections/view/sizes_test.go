package view

import (
	"fmt"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// twoSizes is a run of two sizes: an UPF, and a reference, which was slower.
func twoSizes() *record.Result {
	r := &record.Result{DUTs: []record.DUT{{Name: "upf"}, {Name: "wire", Reference: true}}}
	for n, size := range []string{"frame:128", "imix"} {
		for i := range r.DUTs {
			for repeat := range 2 {
				r.DUTs[i].Trials = append(r.DUTs[i].Trials,
					record.Trial{
						Kind: record.KindLoad, Direction: "uplink", PacketSize: record.PacketSize{Size: size},
						Repeat: repeat + 1, Judgement: record.Judgement{Valid: true},
						Traffic: record.Traffic{RxPPS: 3e6 - float64(n)*1e6, Latency: &record.Latency{P50: uint64(1000 * (n + 1)), Count: 1}},
					})
			}
		}
	}
	slices.SortStableFunc(r.DUTs[0].Trials, func(a, b record.Trial) int { return a.Repeat - b.Repeat })
	return r
}

// TestSizesAreNotMixed: a figure comes from the trials of one size.
func TestSizesAreNotMixed(t *testing.T) {
	v := New(twoSizes())
	if len(v.Sizes) != 2 {
		t.Fatalf("%d sizes", len(v.Sizes))
	}
	for n, one := range v.Sizes {
		for _, d := range one.UPFs {
			best := d.Best("uplink").Stat(RxPPS)
			if len(d.Rows) != 1 || best.N != 2 || best.Median != 3e6-float64(n)*1e6 {
				t.Errorf("%s of %s: %+v", d.Label, one.Size, best)
			}
		}
	}
}

// TestReferenceOfTheSameSize: what the bench adds is measured with the same packets.
func TestReferenceOfTheSameSize(t *testing.T) {
	v := New(twoSizes())
	for i, want := range []string{"1.00", "2.00"} {
		if got := v.UPFs[0].Rows[i].Reference.Text; got != want {
			t.Errorf("%s: %s, want %s", v.UPFs[0].Rows[i].Size, got, want)
		}
	}
}

// TestSizesInOrder: rows are by size, in the order of the run, repeats or not.
func TestSizesInOrder(t *testing.T) {
	var seen []string
	for _, row := range New(twoSizes()).UPFs[0].Rows {
		seen = append(seen, row.Size)
	}
	if !slices.Equal(seen, []string{"frame:128", "imix"}) {
		t.Errorf("%v", seen)
	}
}

// TestFlows: medians of each direction over repeats.
func TestFlows(t *testing.T) {
	trial := func(up, down float64) *record.Trial {
		return &record.Trial{
			Judgement: record.Judgement{Valid: true}, Direction: "both",
			Flows: []record.Flow{{Direction: "uplink", Traffic: record.Traffic{RxPPS: up}},
				{Direction: "downlink", Traffic: record.Traffic{RxPPS: down}}},
		}
	}
	g := Group{Used: []*record.Trial{trial(1000, 10), trial(3000, 20), trial(2000, 60)}}
	rate := func(f *record.Flow) float64 { return f.RxPPS }
	if !slices.Equal(g.Flows(), []record.Direction{record.Uplink, record.Downlink}) ||
		g.Flow("uplink", rate).Median != 2000 || g.Flow("downlink", rate).Median != 20 {
		t.Errorf("%v, %v, %v", g.Flows(), g.Flow("uplink", rate), g.Flow("downlink", rate))
	}
}

// TestOldResultsHaveOneSize: a result that names no size is shown without one.
func TestOldResultsHaveOneSize(t *testing.T) {
	r := &record.Result{DUTs: []record.DUT{{Name: "upf",
		Trials: []record.Trial{{Kind: record.KindLoad, Direction: "uplink", PacketSize: record.PacketSize{PayloadBytes: 1400}}}}}}
	if v := New(r); len(v.Sizes) != 0 || v.UPFs[0].Rows[0].Where() != "uplink" {
		t.Errorf("sizes %v, %q", v.Sizes, v.UPFs[0].Rows[0].Where())
	}
}

// TestFamilyLines: what is not of IPv4 is said.
func TestFamilyLines(t *testing.T) {
	for _, c := range []struct {
		of   record.Families
		want string
	}{
		{record.Families{}, "[]"},
		{record.Families{Family: "ipv6"}, "[UEs have IPv6]"},
		{record.Families{Family: "both", Transport: "ipv6"},
			"[UEs have IPv4 and IPv6: each has both addresses, and its packets are of either in turn N3 and N4 are over IPv6]"},
	} {
		if got := fmt.Sprint(FamilyLines(c.of)); got != c.want {
			t.Errorf("%+v: %s, want %s", c.of, got, c.want)
		}
	}
}

package meters

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

func TestSumOfQueues(t *testing.T) {
	stats := map[string]uint64{
		"rx_queue_0_drops": 1, "rx_queue_1_drops": 2, "rx_queue_0_xdp_drops": 10, "rx_queue_1_xdp_drops": 20,
		"tx_queue_0_xdp_xmit_errors": 100, "rx_queue_0_xdp_packets": 1000,
	}
	for _, c := range []struct {
		ending string
		but    []string
		want   uint64
	}{
		{"_drops", []string{"_xdp_drops"}, 3},
		{"_xdp_drops", nil, 30},
		{"_drops", nil, 33},
		{"_xdp_xmit_errors", nil, 100},
		{"_nothing", nil, 0},
	} {
		if got := sum(stats, c.ending, c.but...); got != c.want {
			t.Errorf("sum of *%s but %v = %d, want %d", c.ending, c.but, got, c.want)
		}
	}
}

func TestDropsBetween(t *testing.T) {
	ring := Drop{Place: "ring", Side: record.SideLink}
	program := Drop{Place: "program", Side: record.SideDUT, program: true}
	reason := Drop{Place: "unknown TEID", Side: record.SideDUT}
	sink := Drop{Place: "sink", Side: record.SideSink}
	upf := Drop{Place: record.PlaceUPFRing, Side: record.SideLink}
	full := Drop{Place: "XDP redirect: no buffer space available", Side: record.SideDUT, redirect: true}
	empty := Drop{Place: "XDP redirect: cannot allocate memory", Side: record.SideDUT, redirect: true}
	at := func(p Drop, n uint64) Drop { p.Packets = n; return p }
	for _, c := range []struct {
		story         string
		before, after Counters
		want          []Drop
	}{
		{"what was there before does not count", Counters{at(ring, 5), at(sink, 7)}, Counters{at(ring, 8), at(sink, 7)}, []Drop{at(ring, 3)}},
		{"a place that appears", nil, Counters{at(sink, 2)}, []Drop{at(sink, 2)}},
		{"a counter that was reset", Counters{at(ring, 9)}, Counters{at(ring, 1)}, nil},
		{"the DUT explains all of its program's drops", Counters{at(program, 1)}, Counters{at(program, 11), at(reason, 10)},
			[]Drop{at(program, 0), at(reason, 10)}},
		{"it explains some", nil, Counters{at(program, 10), at(reason, 4)}, []Drop{at(program, 6), at(reason, 4)}},
		{"it explains more than there were", nil, Counters{at(program, 3), at(reason, 4)}, []Drop{at(program, 0), at(reason, 4)}},
		{"other places are not the program's", nil, Counters{at(ring, 8), at(program, 10), at(sink, 1)},
			[]Drop{at(ring, 8), at(program, 10), at(sink, 1)}},
		{"the device counts what is not redirected, too", nil, Counters{at(upf, 10), at(full, 4), at(empty, 3)},
			[]Drop{at(upf, 3), at(full, 4), at(empty, 3)}},
		{"only the UPF's device", nil, Counters{at(ring, 10), at(full, 4)}, []Drop{at(ring, 10), at(full, 4)}},
		{"a DUT that died has no counters", Counters{at(ring, 4)}, nil, nil},
	} {
		if got := Between(c.before, c.after); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.story, got, c.want)
		}
	}
}

func TestAttributed(t *testing.T) {
	list := []Drop{{Place: "a", Packets: 2}, {Place: "none"}, {Place: "b", Packets: 5}, {Place: "c", Packets: 2}}
	for _, c := range []struct {
		lost, unattributed uint64
	}{{9, 0}, {10, 1}, {0, 0}, {100, 91}} {
		got, unattributed := Attributed(list, c.lost)
		want := []record.Count{{Place: "b", Packets: 5}, {Place: "a", Packets: 2}, {Place: "c", Packets: 2}}
		if !reflect.DeepEqual(got, want) || unattributed != c.unattributed {
			t.Errorf("of %d lost: %v and %d without a place; want %v and %d", c.lost, got, unattributed, want, c.unattributed)
		}
	}
	if got, unattributed := Attributed(nil, 3); got != nil || unattributed != 3 {
		t.Errorf("without counters: %v and %d", got, unattributed)
	}
}

func TestTotal(t *testing.T) {
	list := []Drop{{Side: record.SideLink, Packets: 1}, {Side: record.SideDUT, Packets: 2},
		{Side: record.SideDUT, Packets: 4}, {Side: record.SideSink, Packets: 8}}
	for s, want := range map[record.Side]uint64{record.SideLink: 1, record.SideDUT: 6, record.SideSink: 8} {
		if got := Total(list, s); got != want {
			t.Errorf("side %s: %d, want %d", s, got, want)
		}
	}
}

// TestOwnDrops: the UPF's own counters are the DUT's. One that counts nothing, or is too busy to
// answer, has none: what it lost is then unattributed.
func TestOwnDrops(t *testing.T) {
	for story, c := range map[string]struct {
		read func() ([]record.Count, error)
		want []Drop
	}{
		"it counts": {func() ([]record.Count, error) {
			return []record.Count{{Place: "no rule", Packets: 7}},
				nil
		}, []Drop{{Place: "no rule", Side: record.SideDUT, Packets: 7}}},
		"it counts nothing":  {nil, nil},
		"it does not answer": {func() ([]record.Count, error) { return nil, errors.New("timeout") }, nil},
	} {
		mt := Meters{instance: &dut.Instance{Drops: c.read}}
		if got := mt.own(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", story, got)
		}
	}
}

// named is a testbed whose ports have nothing but names.
func named(n3, n6 bool) site.Site {
	port := func(name string) netdev.Port { return netdev.Port{Name: name, NS: &netdev.Namespace{}} }
	t := &sitetest.Fake{Ports: site.Links{GNB: port("gnb"), UPFN3: port("upf n3"), DNN6: port("dn"), UPFN6: port("upf n6")}}
	if n3 {
		t.Links().N3Between = &site.Between{Tester: port("n3 t"), UPF: port("n3 u")}
	}
	if n6 {
		t.Links().N6Between = &site.Between{Tester: port("n6 t"), UPF: port("n6 u")}
	}
	return t
}

// A ring is counted at the device that sends to it.
func TestRings(t *testing.T) {
	for _, c := range []struct {
		why       string
		n3, n6    bool
		direction record.Direction
		want      []string
	}{
		{"nothing between", false, false, record.Uplink, []string{"gnb > receive ring of the UPF", "upf n6 > receive ring of the sink"}},
		{"a bridge on N3, uplink", true, false, record.Uplink, []string{
			"gnb > receive ring of the bridge before the UPF", "n3 u > receive ring of the UPF", "upf n6 > receive ring of the sink"}},
		{"a bridge on N3, downlink", true, false, record.Downlink, []string{
			"dn > receive ring of the UPF", "upf n3 > receive ring of the bridge behind the UPF", "n3 t > receive ring of the sink"}},
		{"on both, downlink", true, true, record.Downlink, []string{
			"dn > receive ring of the bridge before the UPF", "n6 u > receive ring of the UPF",
			"upf n3 > receive ring of the bridge behind the UPF", "n3 t > receive ring of the sink"}},
	} {
		var got []string
		for _, r := range (&Meters{site: named(c.n3, c.n6)}).rings(c.direction) {
			got = append(got, r.sender.Name+" > "+string(r.place))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.why, got, c.want)
		}
	}
}

func TestAdd(t *testing.T) {
	got := Counters{{Place: "a", Packets: 1}, {Place: "b", Packets: 2}}.add(Counters{{Place: "a", Packets: 4}})
	if want := (Counters{{Place: "a", Packets: 5}, {Place: "b", Packets: 2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestOpposite: there are two directions.
func TestOpposite(t *testing.T) {
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		if opposite(opposite(d)) != d || opposite(d) == d {
			t.Errorf("the opposite of %s is %s", d, opposite(d))
		}
	}
}

func TestCountersOfBothDirections(t *testing.T) {
	up := Counters{{Place: "ring", Packets: 3}, {Place: "sink", Packets: 1}}
	down := Counters{{Place: "ring", Packets: 4}, {Place: "program", Packets: 5}}
	want := Counters{{Place: "ring", Packets: 7}, {Place: "sink", Packets: 1}, {Place: "program", Packets: 5}}
	if got := Counters(nil).add(up).add(down); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestLostBetween: an interface has counted for as long as it is there, and of that the probes lost
// only what came meanwhile.
func TestLostBetween(t *testing.T) {
	at := func(ring uint64) Counters {
		return Counters{{Place: record.PlaceUPFRing, Side: record.SideLink, Packets: ring}, {Place: record.PlaceSinkSocket, Side: record.SideSink, Packets: 7}}
	}
	if got := LostBetween(at(48_211), at(48_231), false); !slices.Equal(got, []string{"receive ring of the UPF: 20"}) {
		t.Errorf("20 more: %q", got)
	}
	if got := LostBetween(at(48_211), at(48_211), false); got != nil {
		t.Errorf("none more: %q", got)
	}
	if got := LostBetween(at(48_211), at(48_231), true); !slices.Equal(got, []string{"link that was down: 20"}) {
		t.Errorf("20 into a link that is down: %q", got)
	}
}

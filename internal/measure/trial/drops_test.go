package trial

import (
	"errors"
	"reflect"
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
	ring := drop{place: "ring", side: record.SideLink}
	program := drop{place: "program", side: record.SideDUT, program: true}
	reason := drop{place: "unknown TEID", side: record.SideDUT}
	sink := drop{place: "sink", side: record.SideSink}
	upf := drop{place: record.PlaceUPFRing, side: record.SideLink}
	full := drop{place: "XDP redirect: no buffer space available", side: record.SideDUT, redirect: true}
	empty := drop{place: "XDP redirect: cannot allocate memory", side: record.SideDUT, redirect: true}
	at := func(p drop, n uint64) drop { p.packets = n; return p }
	for _, c := range []struct {
		story         string
		before, after counters
		want          []drop
	}{
		{"what was there before does not count", counters{at(ring, 5), at(sink, 7)}, counters{at(ring, 8), at(sink, 7)}, []drop{at(ring, 3)}},
		{"a place that appears", nil, counters{at(sink, 2)}, []drop{at(sink, 2)}},
		{"a counter that was reset", counters{at(ring, 9)}, counters{at(ring, 1)}, nil},
		{"the DUT explains all of its program's drops", counters{at(program, 1)}, counters{at(program, 11), at(reason, 10)},
			[]drop{at(program, 0), at(reason, 10)}},
		{"it explains some", nil, counters{at(program, 10), at(reason, 4)}, []drop{at(program, 6), at(reason, 4)}},
		{"it explains more than there were", nil, counters{at(program, 3), at(reason, 4)}, []drop{at(program, 0), at(reason, 4)}},
		{"other places are not the program's", nil, counters{at(ring, 8), at(program, 10), at(sink, 1)},
			[]drop{at(ring, 8), at(program, 10), at(sink, 1)}},
		{"the device counts what is not redirected, too", nil, counters{at(upf, 10), at(full, 4), at(empty, 3)},
			[]drop{at(upf, 3), at(full, 4), at(empty, 3)}},
		{"only the UPF's device", nil, counters{at(ring, 10), at(full, 4)}, []drop{at(ring, 10), at(full, 4)}},
		{"a DUT that died has no counters", counters{at(ring, 4)}, nil, nil},
	} {
		if got := dropsBetween(c.before, c.after); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", c.story, got, c.want)
		}
	}
}

func TestAttributed(t *testing.T) {
	list := []drop{{place: "a", packets: 2}, {place: "none"}, {place: "b", packets: 5}, {place: "c", packets: 2}}
	for _, c := range []struct {
		lost, unattributed uint64
	}{{9, 0}, {10, 1}, {0, 0}, {100, 91}} {
		got, unattributed := attributed(list, c.lost)
		want := []record.Count{{Place: "b", Packets: 5}, {Place: "a", Packets: 2}, {Place: "c", Packets: 2}}
		if !reflect.DeepEqual(got, want) || unattributed != c.unattributed {
			t.Errorf("of %d lost: %v and %d without a place; want %v and %d", c.lost, got, unattributed, want, c.unattributed)
		}
	}
	if got, unattributed := attributed(nil, 3); got != nil || unattributed != 3 {
		t.Errorf("without counters: %v and %d", got, unattributed)
	}
}

func TestTotal(t *testing.T) {
	list := []drop{{side: record.SideLink, packets: 1}, {side: record.SideDUT, packets: 2},
		{side: record.SideDUT, packets: 4}, {side: record.SideSink, packets: 8}}
	for s, want := range map[record.Side]uint64{record.SideLink: 1, record.SideDUT: 6, record.SideSink: 8} {
		if got := total(list, s); got != want {
			t.Errorf("side %s: %d, want %d", s, got, want)
		}
	}
}

// TestOwnDrops: the UPF's own counters are the DUT's. One that counts nothing, or is too busy to
// answer, has none: what it lost is then unattributed.
func TestOwnDrops(t *testing.T) {
	for story, c := range map[string]struct {
		read func() ([]record.Count, error)
		want []drop
	}{
		"it counts": {func() ([]record.Count, error) {
			return []record.Count{{Place: "no rule", Packets: 7}},
				nil
		}, []drop{{place: "no rule", side: record.SideDUT, packets: 7}}},
		"it counts nothing":  {nil, nil},
		"it does not answer": {func() ([]record.Count, error) { return nil, errors.New("timeout") }, nil},
	} {
		mt := meters{instance: &dut.Instance{Drops: c.read}}
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
		for _, r := range (&meters{site: named(c.n3, c.n6)}).rings(c.direction) {
			got = append(got, r.sender.Name+" > "+string(r.place))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", c.why, got, c.want)
		}
	}
}

func TestAdd(t *testing.T) {
	got := counters{{place: "a", packets: 1}, {place: "b", packets: 2}}.add(counters{{place: "a", packets: 4}})
	if want := (counters{{place: "a", packets: 5}, {place: "b", packets: 2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

package trial

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
)

// TestDownBetween: a link that went and came back within a trial was down, as one that is down at an
// end of it; what rings are said to have lost then was lost on the link.
func TestDownBetween(t *testing.T) {
	up, flapped, down := netdev.Carrier{Up: true, Changes: 2}, netdev.Carrier{Up: true, Changes: 4}, netdev.Carrier{Changes: 3}
	at := func(n3, n6 netdev.Carrier) carriers {
		return carriers{"N3 (n3)": {n3}, "N6 (n6)": {up, n6}}
	}
	for _, c := range []struct {
		before, after carriers
		want          []string
	}{
		{at(up, up), at(up, up), nil},
		{at(up, up), at(flapped, up), []string{"N3 (n3)"}},
		{at(up, up), at(down, flapped), []string{"N3 (n3)", "N6 (n6)"}},
		{at(down, up), at(down, up), []string{"N3 (n3)"}},
		{at(up, up), carriers{"N6 (n6)": {up, up}}, nil}, // gone: it is not the link
	} {
		if got := downBetween(c.before, c.after); !slices.Equal(got, c.want) {
			t.Errorf("%v, then %v: %q, want %q", c.before, c.after, got, c.want)
		}
	}
	drops := []drop{{place: record.PlaceUPFRing, side: record.SideLink, packets: 9}, {place: record.PlaceSinkRing, side: record.SideSink, packets: 8},
		{place: record.PlaceUPFProgram, side: record.SideDUT, packets: 7}}
	atLinksDown(drops)
	if total(drops, record.SideLink) != 17 || total(drops, record.SideSink) != 0 || drops[0].place != record.PlaceLinkDown ||
		drops[2].place != record.PlaceUPFProgram {
		t.Errorf("%+v", drops)
	}
}

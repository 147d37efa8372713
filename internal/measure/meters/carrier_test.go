package meters

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
	n3t, n3, n6t, n6 := linkEnd{"N3", true, "n3"}, linkEnd{"N3", false, "n3"}, linkEnd{"N6", true, "enp1s0"}, linkEnd{"N6", false, "n6"}
	at := func(n3Now, n6Now netdev.Carrier) carriers { return carriers{n3: n3Now, n6t: up, n6: n6Now} }
	for _, c := range []struct {
		before, after carriers
		want          []string
	}{
		{at(up, up), at(up, up), nil},
		{at(up, up), at(flapped, up), []string{"N3 (n3)"}},
		{at(up, up), at(down, flapped), []string{"N3 (n3)", "N6 (enp1s0, n6)"}},
		{at(down, up), at(down, up), []string{"N3 (n3)"}},
		{at(up, up), carriers{n6t: up, n6: up}, nil},                                      // gone: it is not the link
		{carriers{n3: flapped}, carriers{n3t: up, n3: flapped}, nil},                      // read for the first time
		{carriers{n3t: up, n3: flapped}, carriers{n3: flapped}, nil},                      // and for the last
		{carriers{n6: up}, carriers{n6t: flapped, n6: down}, []string{"N6 (enp1s0, n6)"}}, // one link, whose ends have two names
	} {
		if got := downBetween(c.before, c.after); !slices.Equal(got, c.want) {
			t.Errorf("%v, then %v: %q, want %q", c.before, c.after, got, c.want)
		}
	}
	if got, want := LinksDown(carriers{n6t: down, n6: down}.down()), "; the link of N6 (enp1s0, n6) is down, at this end or the other"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	drops := []Drop{{Place: record.PlaceUPFRing, Side: record.SideLink, Packets: 9}, {Place: record.PlaceSinkRing, Side: record.SideSink, Packets: 8},
		{Place: record.PlaceUPFProgram, Side: record.SideDUT, Packets: 7}}
	atLinksDown(drops)
	if Total(drops, record.SideLink) != 17 || Total(drops, record.SideSink) != 0 || drops[0].Place != record.PlaceLinkDown ||
		drops[2].Place != record.PlaceUPFProgram {
		t.Errorf("%+v", drops)
	}
}

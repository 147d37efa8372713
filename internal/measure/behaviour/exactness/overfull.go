package exactness

import (
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
)

// overfull offers more than the UPF passes, a fifth of it in a flow with a guaranteed bit rate.
func overfull(t *b.T, d time.Duration) error {
	const more, guaranteed = 1.3, 1. / 5
	u := t.Fixture.UE(0)
	if err := b.Establish(u, b.Plain(u, t.Fixture)).Do(t); err != nil {
		return err
	}
	s := b.Stream{Up: true, Octets: flowOctets, Flows: []b.Flow{{UE: u, QFI: defaultQFI}}}
	_, full, err := nonDrop(t, s)
	if err != nil {
		return err
	}
	if full == 0 {
		return fail.Inapplicable("nothing passes")
	}
	s.PPS = min(more*full, mostPPS)
	bits := s.PPS * flowOctets * 8
	c := competition{flows: []qosFlow{{1, bits * guaranteed, bits, bits * guaranteed}, {2, 0, 0, bits * (1 - guaranteed)}}}
	u = t.Fixture.UE(1)
	rules := c.session(u, t.Fixture)
	rules.PDRs[1].QERs = []uint32{2} // the session's rate is not what limits here
	if err := b.Establish(u, rules).Do(t); err != nil {
		return err
	}
	g, rest := b.Flow{UE: u, QFI: 1}, b.Flow{UE: u, QFI: 2}
	s.Flows, s.For = []b.Flow{rest, rest, g, rest, rest}, min(d, time.Duration(packetsMost/s.PPS*float64(time.Second)))
	seen, err := t.Stream(s)
	if err != nil {
		return err
	}
	split, _ := c.split(seen.Fates, []int{1, 1, 0, 1, 1})
	for i, f := range c.flows {
		t.Flows = append(t.Flows, share(f, split[i]))
	}
	switch {
	case t.Flows[1].LossRatio <= kept:
		return fail.Inapplicable("cannot tell: the sender has not filled the UPF: %s lost", losses(t.Flows))
	case t.Flows[0].LossRatio > kept:
		return fail.Inapplicable("not judged, for no clause asks for it: of each flow is lost: %s", losses(t.Flows))
	}
	return nil
}

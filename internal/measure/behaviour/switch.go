package behaviour

import (
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
)

// Switching sends downlink packets of a UE, leads them to another tunnel in their midst, and holds
// the UPF to an End Marker that is the last packet of the tunnel that is left.
func Switching(u *UE, to rules.Tunnel, c rules.Change) Step {
	const expected = "the End Marker is the last packet in the tunnel that is left"
	old := rules.Tunnel{TEID: u.Tunnel, Peer: u.GNB}
	either := Down(u, "").Times(600)
	either.Wants = []Want{{Altered: true, Tunnel: &to}}
	return Step{Text: "send downlink packets and, in their midst, modify: path switch, with SNDEM: each packet " +
		"arrives once, and " + expected, Do: func(t *T) error {
		sent, err := switching(t, u, either, c)
		if err != nil {
			return err
		}
		t.leave(old)
		t.Inbox.Await(t.Ctx, LongAfter, func() bool { return t.complete(sent) && len(t.endMarkers(&old)) > 0 })
		t.Wait(behind)
		ends := t.endMarkers(&old)
		if others := t.endMarkersElsewhere(&old); others != "" {
			return fail.Because(fail.EndMarker, fail.Wrongf(expected, "%d came there, and %s", len(ends), others))
		}
		if len(ends) == 0 {
			return fail.Because(fail.EndMarker, fail.Repeated(fail.NotEnforcedf(expected, "none came")))
		}
		after := 0
		for i := range sent {
			for _, a := range t.Inbox.Of(sent[i].Number) {
				if a.Tunnelled && a.Header.TEID == old.TEID && a.At.After(ends[0].At) {
					after++
				}
			}
			if len(t.Inbox.Of(sent[i].Number)) == 0 {
				return fail.Because(sent[i].lost(),
					fail.Repeated(fail.Wrongf(sent[i].text+" arrives in one of the two tunnels", "packet %d of %d did not arrive",
						i+1, len(sent))))
			}
		}
		if after > 0 {
			return fail.Repeated(fail.Wrongf(expected, "%d packets came in that tunnel after it", after))
		}
		return nil
	}}
}

// switching sends packets until the session was modified, a third of those that p asks for before it and
// as many after it: so the modification is in their midst, however long the UPF, or a busy machine,
// takes for it.
func switching(t *T, u *UE, p Packet, c rules.Change) (sent []Sent, err error) {
	const pps, few = 2000, 20
	third := p
	third.Count = p.Count / 3
	if sent, err = t.transmit([]Packet{third}, pps); err != nil {
		return nil, err
	}
	modified := make(chan error, 1)
	go func() {
		_, err := t.modify(u, "a path switch", &c)
		modified <- err
	}()
	meanwhile := p
	meanwhile.Count = few
	for {
		more, err := t.transmit([]Packet{meanwhile}, pps)
		if err != nil {
			return nil, fail.FirstOf(err, <-modified)
		}
		sent = append(sent, more...)
		select {
		case err := <-modified:
			if err != nil {
				return nil, err
			}
			more, err := t.transmit([]Packet{third}, pps)
			return append(sent, more...), err
		default:
		}
	}
}

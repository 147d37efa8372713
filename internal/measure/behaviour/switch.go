package behaviour

import (
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/gtpu"
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
		sent, err := t.switching(u, either, c)
		if err != nil {
			return err
		}
		marker := func(a *Arrival) bool {
			return a.N3 && a.Tunnelled && a.Header.Type == gtpu.EndMarker && a.Header.TEID == old.TEID && a.To == old.Peer
		}
		t.inbox.await(t.Ctx, arriveWithin, func() bool { return t.complete(sent) && len(t.inbox.unmarked(marker)) > 0 })
		t.wait(behind)
		ends := t.inbox.unmarked(marker)
		if len(ends) == 0 {
			return because(symptomEndMarker, soft(notEnforced(expected, "none came")))
		}
		after := 0
		for i := range sent {
			for _, a := range t.inbox.of(sent[i].number) {
				if a.Tunnelled && a.Header.TEID == old.TEID && a.At.After(ends[0].At) {
					after++
				}
			}
			if len(t.inbox.of(sent[i].number)) == 0 {
				return because(sent[i].lost(),
					soft(wrong(sent[i].text+" arrives in one of the two tunnels", "packet %d of %d did not arrive",
						i+1, len(sent))))
			}
		}
		if after > 0 {
			return soft(wrong(expected, "%d packets came in that tunnel after it", after))
		}
		return nil
	}}
}

// switching sends the packets and modifies the session after a third of them.
func (t *T) switching(u *UE, p Packet, c rules.Change) (sent []sentPacket, err error) {
	const pps = 2000
	modified := make(chan error, 1)
	go func() {
		time.Sleep(time.Duration(p.Count) * time.Second / pps / 3)
		_, err := t.accepted("a path switch", t.peer.Modify(t.writer, t.theirs(u), &c))
		modified <- err
	}()
	sent, err = t.transmit([]Packet{p}, pps)
	return sent, first(err, <-modified)
}

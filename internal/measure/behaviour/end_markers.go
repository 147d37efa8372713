package behaviour

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// EndMarkers counts End Markers in a tunnel, and holds the UPF to none in another one.
func EndMarkers(tunnel rules.Tunnel, count int) Step {
	expected := fmt.Sprintf("%d End Markers arrive in the tunnel that is left", count)
	return Step{Text: expected, Do: func(t *T) error {
		if count > 0 {
			t.leave(tunnel)
			t.Inbox.Await(t.Ctx, LongAfter, func() bool { return len(t.endMarkers(&tunnel)) >= count })
		}
		t.Wait(Quiet)
		switch n, others := len(t.endMarkers(&tunnel)), t.endMarkersElsewhere(&tunnel); {
		case others != "":
			return fail.Because(fail.EndMarker, fail.Wrongf(expected, "%d arrived there, and %s", n, others))
		case n < count:
			return fail.Because(fail.EndMarker, fail.Repeated(fail.NotEnforcedf(expected, "%d arrived", n)))
		case n > count:
			return fail.Because(fail.EndMarker, fail.Wrongf(expected, "%d arrived", n))
		}
		for _, a := range t.endMarkers(&tunnel) {
			if text := t.oddMarker(&a); text != "" {
				return fail.Because(fail.Signal, fail.Wrongf(expected, "%s", text))
			}
		}
		return nil
	}}
}

// oddMarker says what is wrong with an End Marker besides its tunnel (TS 29.281 clauses 4.4.3, 7.3.2): it comes from an
// address of the UPF, one that G-PDUs came from, and has nothing but IEs; "": nothing.
func (t *traffic) oddMarker(a *inbox.Arrival) string {
	if a.From != t.Fixture.UPF && !t.Inbox.Any(func(b *inbox.Arrival) bool {
		return b.N3 && b.Tunnelled && b.Header.Type == gtpu.GPDU && b.From == a.From
	}) {
		return fmt.Sprintf("one came from %s, and the tunnel's end is %s", a.From, t.Fixture.UPF)
	}
	const private, header = 255, 3 // Private Extension, the only IE that an End Marker may have
	for p := a.Header.Payload; len(p) > 0; {
		if p[0] != private || len(p) < header || header+int(binary.BigEndian.Uint16(p[1:])) > len(p) {
			return fmt.Sprintf("one has octets that are no IE of an End Marker: %x", p[:min(8, len(p))])
		}
		p = p[header+int(binary.BigEndian.Uint16(p[1:])):]
	}
	return ""
}

// EndMarkerWithin holds the UPF to an End Marker so long after the modification that a step makes was answered. That none
// comes, or one in another tunnel, is the finding of another case.
func EndMarkerWithin(modify Step, tunnel rules.Tunnel, within time.Duration) Step {
	expected := fmt.Sprintf("the End Marker arrives within %v", within)
	return Step{Text: modify.Text + ": " + expected, Do: func(t *T) error {
		if err := modify.Do(t); err != nil {
			return err
		}
		answered := time.Now()
		t.leave(tunnel)
		if !t.Inbox.Await(t.Ctx, LongAfter, func() bool { return len(t.endMarkers(&tunnel)) > 0 }) {
			return fail.Repeated(fail.Inapplicable("no End Marker arrives"))
		}
		if late := t.endMarkers(&tunnel)[0].At.Sub(answered); late > within {
			return fail.Because("end-marker-late", fail.Repeated(fail.Wrongf(expected, "it arrived %v after the answer to the modification", late.Round(time.Millisecond))))
		}
		return nil
	}}
}

// LongAfter is for how long what is late is waited for.
const LongAfter = 4 * time.Second

// endMarkers gives those that arrived in a tunnel.
func (t *traffic) endMarkers(in *rules.Tunnel) []inbox.Arrival {
	return t.Inbox.Unmarked(func(a *inbox.Arrival) bool { return a.IsEndMarker() && a.Header.TEID == in.TEID && a.To == in.Peer })
}

// leave notes that an End Marker is due in a tunnel: one that comes after its case is late, and no other case's.
func (b *Bench) leave(tunnel rules.Tunnel) {
	if b.left == nil {
		b.left = map[rules.Tunnel]bool{}
	}
	b.left[tunnel] = true
}

// endMarkersElsewhere says in which other tunnel End Markers arrived, where none was due; "": none did.
func (t *traffic) endMarkersElsewhere(than *rules.Tunnel) string {
	list := t.Inbox.Unmarked(func(a *inbox.Arrival) bool {
		in := rules.Tunnel{TEID: a.Header.TEID, Peer: a.To}
		return a.IsEndMarker() && in != *than && !t.left[in]
	})
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%d in tunnel %#x to %s", len(list), list[0].Header.TEID, list[0].To)
}

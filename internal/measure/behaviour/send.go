package behaviour

import (
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/inbox"
	"github.com/upflab/upflab/internal/measure/behaviour/packet"
)

// Packet is a packet, or Count alike, and what has to become of it.
type Packet struct {
	UE   *UE
	Up   bool
	Name string // what makes it different: "to port 80"
	packet.Inner
	Outer packet.Outer
	Count int // 0: 1
	// Wants are the ways in which it has to arrive, once each; none: it must not.
	Wants []Want
	// Ignored are ways in which it arrives when the UPF did nothing of what it accepted.
	Ignored []Want
	// Control: it shows that the session works at all.
	Control bool
	// Inside is what it has for payload; nil: octets.
	Inside *Inside
	// Uncounted keeps it out of the session's ledger.
	Uncounted bool
	// Wrapped are the outer headers that a downlink packet is sent in on N6; nil: none.
	Wrapped *packet.Wrapping
	// Framed sends an uplink packet as an Ethernet frame to all stations, for Ethernet sessions.
	Framed bool
	// N9 sends a downlink packet as another UPF does: in a tunnel, on the link of N3.
	N9 bool

	turn int // how many were sent
}

// Want is a way to arrive.
type Want struct {
	// Tunnel is on N3; nil: on N6, plain or in the outer headers Exit.
	Tunnel *rules.Tunnel
	Exit   *packet.Wrapping
	QFI    uint8 // 0: any, or none
	RQI    bool
	// Lower: a router has decremented the TTL.
	Lower bool
	// TOS of the outer header; nil: any.
	TOS *uint8
	// Altered: the inner packet is not compared.
	Altered bool
	// Also is asked of the arrival last; nil: nothing.
	Also *Property
}

// Property is something that an arrival has to have, which most cases do not look at: so that one
// fault of all packets is the finding of the case that names it.
type Property struct {
	Symptom string
	Text    string // "an outer TTL of 32 or more"
	// Differs says why an arrival does not have it; "": it has.
	Differs func(*inbox.Arrival) string
}

// Sent is one that was sent.
type Sent struct {
	*Packet
	Number uint64
	at     time.Time // when it was sent
	ip     []byte    // the inner packet
	text   string
	wants  []Want
}

// Pace is packets per second of a step that sends more than a few.
const pace = 10_000

// arriveWithin bounds the wait for packets that are to arrive.
const arriveWithin = 1500 * time.Millisecond

// Quiet is how long nothing may arrive after the last packet, where no other packet
// shows that the UPF has dealt with it; behind is the same after one that has arrived.
const (
	Quiet  = 200 * time.Millisecond
	behind = 30 * time.Millisecond
)

// Send sends packets in turn and waits for them.
func Send(list ...Packet) Step {
	return Step{Text: describe(list), Do: func(t *T) error { return t.Send(list, pace) }}
}

// SendSlowly is Send at a rate, packets/s.
func SendSlowly(pps int, list ...Packet) Step {
	return Step{Text: describe(list), Do: func(t *T) error { return t.Send(list, pps) }}
}

// Send sends packets in turn, at a rate, waits for them and judges them.
func (t *traffic) Send(list []Packet, pps int) error {
	sent, err := t.transmit(list, pps)
	if err != nil {
		return err
	}
	t.Inbox.Await(t.Ctx, arriveWithin, func() bool { return t.complete(sent) })
	t.Wait(t.silence(sent))
	t.book(sent)
	if err := t.judgeAll(sent); err != nil {
		return err
	}
	return t.Ctx.Err()
}

// judgeAll judges packets. Where a few of many are lost, or packets are right when they are sent again, that is another
// fault than if all were.
func (t *traffic) judgeAll(sent []Sent) error {
	var failed error
	var bad []int
	lost, due := 0, 0
	for i := range sent {
		if len(sent[i].wants) > 0 {
			due++
		}
		err := t.judge(&sent[i])
		if strings.HasPrefix(fail.SymptomOf(err), fail.Lost) {
			lost++
		}
		if err != nil {
			bad = append(bad, i)
		}
		failed = fail.FirstOf(failed, err)
	}
	if strings.HasPrefix(fail.SymptomOf(failed), fail.Lost) && due >= 100 && lost*10 < due {
		failed = fail.Because(fail.Loss, failed)
	}
	failed = t.diagnose(sent, bad, failed)
	t.changed = time.Time{}
	return failed
}

// transmit sends the packets.
func (t *traffic) transmit(list []Packet, pps int) (sent []Sent, err error) {
	due := time.Now()
	for i := range list {
		p := &list[i]
		for range max(p.Count, 1) {
			due = t.pace(due, pps)
			s, err := t.SendOne(p)
			if err != nil {
				return nil, err
			}
			sent = append(sent, s)
		}
	}
	return sent, nil
}

// pace waits until a packet is due, and says when the next one is. A sender that was
// late does not catch up: a burst may be more than a socket's buffer holds.
func (t *traffic) pace(due time.Time, pps int) (next time.Time) {
	if late := time.Since(due); late > 2*time.Millisecond {
		due = due.Add(late)
	} else if late < -time.Millisecond {
		t.Wait(-late)
	}
	return due.Add(time.Second / time.Duration(pps))
}

// SendOne sends a packet, and judges nothing.
func (t *traffic) SendOne(p *Packet) (Sent, error) {
	t.number++
	s := Sent{Packet: p, Number: t.number, at: time.Now(), text: p.Describe(), wants: p.Wants}
	defer func() { p.turn++ }()
	mark := packet.Mark{Run: t.Inbox.Run, Number: s.Number}
	t.wanted.note(s.Number, s.text, s.wants)
	if s.ip = p.inner(t).Bytes(mark); p.Inside != nil {
		s.ip = p.Inside.wrap(p.inner(t), mark)
	}
	if p.Up || p.N9 {
		o, tpdu := p.outer(t), s.ip
		if p.Framed {
			tpdu = packet.Frame(s.ip)
		}
		return s, t.sendOuter(o, tpdu)
	}
	if p.Wrapped != nil {
		return s, t.Lab.N6().Send(p.Wrapped.Bytes(s.ip))
	}
	return s, t.Lab.N6().Send(s.ip)
}

// sendOuter sends a T-PDU on N3, whole or in fragments.
func (t *traffic) sendOuter(o packet.Outer, tpdu []byte) error {
	whole := o.Encapsulate(tpdu)
	if o.Fragments < 2 {
		return t.Lab.N3().Send(whole)
	}
	list := packet.Split(whole, o.Fragments, uint16(t.number)|1<<15)
	if o.Swapped {
		slices.Reverse(list)
	}
	for _, ip := range list {
		if err := t.Lab.N3().Send(ip); err != nil {
			return err
		}
	}
	return nil
}

// complete reports whether everything arrived that is to.
func (t *traffic) complete(sent []Sent) bool {
	for i := range sent {
		if len(t.Inbox.Of(sent[i].Number)) < len(sent[i].wants) {
			return false
		}
	}
	return true
}

// silence is how long to wait for what must not arrive.
func (t *traffic) silence(sent []Sent) time.Duration {
	last := len(sent) - 1
	if last >= 0 && len(sent[last].wants) > 0 && len(t.Inbox.Of(sent[last].Number)) > 0 {
		return behind
	}
	return Quiet
}

// book enters the packets into their sessions' ledgers.
func (t *traffic) book(sent []Sent) {
	for i := range sent {
		p := &sent[i]
		if len(p.wants) == 0 {
			t.never = append(t.never, *p)
		} else {
			t.once = append(t.once, *p)
		}
		s := t.sessions[p.UE]
		if s == nil || p.Uncounted {
			continue
		}
		if s.Ledger.Began.IsZero() {
			s.Ledger.Began = p.at
		}
		out, in := &s.Ledger.DownSent, &s.Ledger.DownGot
		if p.Up {
			out, in = &s.Ledger.UpSent, &s.Ledger.UpGot
		}
		if len(p.wants) > 0 { // what the rules drop is no usage
			out.Add(len(p.ip))
		}
		if len(t.Inbox.Of(p.Number)) > 0 {
			in.Add(len(p.ip))
		}
	}
}

// judge compares what arrived of a packet with what is wanted.
func (t *traffic) judge(p *Sent) error {
	got := t.Inbox.Of(p.Number)
	switch {
	case len(p.wants) == 0 && len(got) > 0:
		return fail.Because(fail.Leaked, fail.NotEnforcedf(p.text+" goes nowhere", "it arrived at %s", got[0].Describe()))
	case len(p.wants) == 0:
		return nil
	case len(got) == 0 && p.Control:
		return fail.Because(p.lost(), fail.Repeated(fail.Wrongf(p.text+" arrives "+wording(p.wants), "it did not arrive")))
	case len(got) == 0:
		return fail.Because(p.lost(), fail.Repeated(fail.NotEnforcedf(p.text+" arrives "+wording(p.wants), "it did not arrive")))
	}
	return p.match(got)
}

// match finds for each arrival the way that is wanted.
func (p *Sent) match(got []inbox.Arrival) error {
	left := append([]Want(nil), p.wants...)
	for i := range got {
		var d deviation
		if left, d = p.take(left, &got[i]); d.why != "" {
			return p.mismatch(&got[i], d)
		}
	}
	if len(left) > 0 {
		return fail.Because(p.lost(), fail.Repeated(fail.NotEnforcedf(p.text+" arrives "+wording(left), "of %d copies %d arrived", len(p.wants), len(got))))
	}
	return nil
}

// take removes the want that an arrival satisfies.
func (p *Sent) take(left []Want, a *inbox.Arrival) (rest []Want, d deviation) {
	if len(left) == 0 {
		return left, deviation{fail.Copies, "there was one packet too many"}
	}
	for i, w := range left {
		this := w.differs(p, a)
		if this.why == "" {
			return append(left[:i:i], left[i+1:]...), this
		}
		if d.why == "" || this.symptom != fail.Tunnel && this.symptom != fail.Place { // it came that way
			d = this
		}
	}
	return left, d
}

func (p *Sent) mismatch(a *inbox.Arrival, d deviation) error {
	expected := p.text + " arrives " + wording(p.wants)
	for _, w := range p.Ignored {
		if w.differs(p, a).why == "" {
			return fail.Because(fail.Ignored, fail.NotEnforcedf(expected, "it arrived at %s, as if the rule were not there", a.Describe()))
		}
	}
	return fail.Because(d.symptom, fail.Wrongf(expected, "%s: %s", a.Describe(), d.why))
}

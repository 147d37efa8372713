package exactness

import (
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
)

// What telemetry is audited with: packets of lengths that no other account has a reason to count.
const (
	telemetryUp, telemetryDown = 301, 503
	telemetryPPS               = 4000
	// telemetryFor is how long packets are sent: long enough for durations of whole seconds.
	telemetryFor = 2200 * time.Millisecond
	// telemetryWait is how long a UPF has to bring its counters up to date.
	telemetryWait = 1500 * time.Millisecond
)

// telemetry are the cases that grade each account that a UPF gives of itself.
func telemetry() (list []b.Case) {
	for _, c := range []struct {
		id, title string
		course    func(*audited) error
	}{
		{"load", "What a UPF says of its packets is so under load, while usage is queried", (*audited).load},
		{"loss", "What a UPF says of its packets is so while a gate drops some of them", (*audited).loss},
		{"handover", "What a UPF says of its packets is so while UEs move to another gNB", (*audited).handover},
		{"deletion", "What a UPF says of its packets is so when sessions are deleted in their midst", (*audited).deletion},
	} {
		list = append(list, b.Case{ID: "telemetry." + c.id, Title: c.title, Clause: "TS 28.552 5.4; TS 29.244 5.2.2, 7.5.7.2",
			Lasts: telemetryFor + telemetryWait + 4*time.Second, Steps: func(*b.Fixture) []b.Step {
				return []b.Step{{Text: "send known packets of sessions with URRs, and grade each account of them: exact, within 5 %, wrong or absent",
					Do: func(t *b.T) error { return audit(t, c.course) }}}
			}})
	}
	return list
}

// audited is an audit: sessions with a URR of a kind each, their packets, and what the UPF says of both.
type audited struct {
	*b.T
	users  []*user
	ledger ledger // of all of them
	before reading
	after  reading
}

// user is a UE whose session has a URR of one kind, alone: a UPF that refuses one kind is still asked for the others.
type user struct {
	*b.UE
	kind    kind
	urr     bool      // the UPF has accepted the URR
	gone    time.Time // when its deletion was answered
	packets ledger
}

// kind is a kind of URR.
type kind struct {
	name     string
	method   uint8
	up, down bool // the PDRs that have it
}

// isDuration: it counts seconds.
func (k kind) isDuration() bool { return k.method == rules.Duration }

func kinds() []kind {
	return []kind{
		{"volume", rules.ByVolume, true, true}, {"volume, uplink alone", rules.ByVolume, true, false},
		{"volume, downlink alone", rules.ByVolume, false, true}, {"duration", rules.Duration, true, true},
	}
}

// audit establishes the sessions, has packets sent, and grades what the UPF said of them.
func audit(t *b.T, course func(*audited) error) error {
	a := &audited{T: t}
	a.Wait(telemetryWait) // counters may still rise by what a case before has sent
	a.before = a.read()
	for n, k := range kinds() {
		if err := a.serve(&user{UE: t.Fixture.UE(n), kind: k}); err != nil {
			return err
		}
	}
	if err := t.Settle(); err != nil {
		return err
	}
	if err := course(a); err != nil {
		return err
	}
	a.settle()
	if err := a.deleteAll(); err != nil {
		return err
	}
	t.Shown = append(a.usage(), a.counters()...)
	return judged(t.Shown, a.before.err)
}

// serve establishes a user's session: with its URR, or without where the UPF refuses that.
func (a *audited) serve(u *user) error {
	r := rules.URR{ID: 1, Method: u.kind.method, Triggers: rules.Periodic, Period: 1, Packets: a.Features.Has(smf.MNOP) && !u.kind.isDuration()}
	s := b.Plain(u.UE, a.Fixture)
	s.URRs = []rules.URR{r}
	for i, has := range []bool{u.kind.up, u.kind.down} {
		if has {
			s.PDRs[i].URRs = []uint32{1}
		}
	}
	a.ledger.asked++
	err := b.Establish(u.UE, s).Do(a.T)
	if f, is := err.(*fail.Failure); is && f.Refusal {
		a.ledger.asked++
		err = b.Establish(u.UE, b.Plain(u.UE, a.Fixture)).Do(a.T)
	} else {
		u.urr = err == nil
	}
	a.users = append(a.users, u)
	return err
}

// settle waits until the UPF has brought its counters up to date, and reads them.
func (a *audited) settle() {
	a.Wait(telemetryWait)
	for _, u := range a.users {
		if u.gone.IsZero() {
			a.ledger.sessions++
		}
	}
	a.ledger.reports.from = a.reports()
	a.after = a.read()
	a.ledger.reports.to = a.reports()
}

// reports is how many session reports have come.
func (a *audited) reports() (n float64) {
	for _, u := range a.users {
		n += float64(len(a.Peer().Reports(a.Session(u.UE).Ours)))
	}
	return n
}

// deleteAll deletes the sessions that there are.
func (a *audited) deleteAll() error {
	for _, u := range a.users {
		if !u.gone.IsZero() {
			continue
		}
		if err := b.Delete(u.UE).Do(a.T); err != nil {
			return err
		}
		u.gone = time.Now()
	}
	return nil
}

// packets are one of each user and direction, which take turns.
func (a *audited) packets() (list []b.Packet) {
	for _, u := range a.users {
		list = append(list, b.Up(u.UE, "").Sized(telemetryUp), b.Down(u.UE, "").Sized(telemetryDown))
	}
	return list
}

// send sends packets of all users for a time, and does something in their midst; nil: nothing. became says what is to
// become of a packet of a user that was sent at a time.
func (a *audited) send(d time.Duration, meanwhile func() error, became func(u *user, sent time.Time) fate) error {
	done := make(chan error, 1)
	if meanwhile == nil {
		meanwhile = func() error { return nil }
	}
	go func() {
		a.Wait(d / 3)
		done <- meanwhile()
	}()
	seen, err := a.Observe(a.packets(), telemetryPPS, d)
	if err := fail.FirstOf(<-done, err); err != nil {
		return err
	}
	for i, f := range seen.Fates {
		u := a.users[i/2%len(a.users)]
		u.packets.add(&f, became(u, f.Sent))
		a.ledger.add(&f, became(u, f.Sent))
	}
	return nil
}

// always: all packets pass.
func always(*user, time.Time) fate { return passes }

// load queries usage in the midst of the packets.
func (a *audited) load() error {
	return a.send(telemetryFor, func() error {
		for range 5 {
			for _, u := range a.users {
				if !u.urr {
					continue
				}
				if err := b.Modify(u.UE, "a query of URR 1", rules.Change{Query: []uint32{1}}).Do(a.T); err != nil {
					return err
				}
			}
			a.Wait(100 * time.Millisecond)
		}
		return nil
	}, always)
}

// loss closes the gates for the second third of the packets.
func (a *audited) loss() error {
	for _, closed := range []bool{false, true, false} {
		for _, u := range a.users {
			q := rules.QER{ID: 1, QFI: defaultQFI, CloseUp: closed, CloseDown: closed}
			if err := b.Modify(u.UE, "gates", rules.Change{Update: rules.Session{QERs: []rules.QER{q}}}).Do(a.T); err != nil {
				return err
			}
		}
		if err := a.Settle(); err != nil {
			return err
		}
		of := always
		if closed {
			of = func(*user, time.Time) fate { return dropped }
		}
		if err := a.send(telemetryFor/3, nil, of); err != nil {
			return err
		}
	}
	return nil
}

// handover leads the downlink of each user to another tunnel in the midst of the packets.
func (a *audited) handover() error {
	peer := a.Fixture.GNB(1)
	return a.send(telemetryFor, func() error {
		for _, u := range a.users {
			c := rules.Change{Update: rules.Session{FARs: []rules.FAR{{ID: 2, Action: rules.Forward, To: rules.Access,
				Tunnel: &rules.Tunnel{TEID: u.Tunnel + 0x10000, Peer: peer}}}}}
			if err := b.Modify(u.UE, "path switch", c).Do(a.T); err != nil {
				return err
			}
		}
		return nil
	}, always)
}

// deletion deletes the sessions in the midst of the packets.
func (a *audited) deletion() error {
	return a.send(telemetryFor, func() error {
		a.Wait(telemetryFor / 3) // durations are of whole seconds
		return a.deleteAll()
	}, func(u *user, sent time.Time) fate {
		if sent.After(u.gone) {
			return late
		}
		return passes
	})
}

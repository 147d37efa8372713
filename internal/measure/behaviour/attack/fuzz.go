package attack

import (
	"fmt"
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/record"
)

// Options are how hard and how long inputs are sent.
type Options struct {
	PerSecond int
	Most      int           // packets/s that nothing goes beyond; 0: no bound
	For       time.Duration // of each kind of inputs
	Seed      uint64
}

// Bounds of what is done about a UPF that ends again and again.
const (
	mostEnds    = 12
	mostSmall   = 3 // of different ends, that are made small
	roundLength = 200 * time.Millisecond
	refreshEach = 10 // rounds
	roomTried   = 200
)

// source makes inputs for a target; it is called for each target anew.
type source func(g *target, seed uint64) func() Input

// fuzz sends inputs for a time, and says what they did.
type fuzz struct {
	t      *b.T
	o      Options
	source source

	g       *target
	next    func() Input
	window  []Input // sent since the attacker's sessions were made
	out     record.Attack
	sending time.Duration
	seen    []b.Footprint // at the ends of quarters, of this process
	rounds  int
	// avoid are types of node messages of which one has ended the UPF: others come to
	// nothing while those do.
	avoid map[byte]bool
}

// step is a step that sends inputs of a source.
func step(what string, o Options, s source) b.Step {
	text := fmt.Sprintf("send %s, %d/s for %v, and see whether the UPF lives, and forwards for a session that no "+
		"input names", what, o.PerSecond, o.For)
	return b.Step{Text: text, Do: func(t *b.T) error {
		f := &fuzz{t: t, o: o, source: s, avoid: map[byte]bool{}}
		err := f.run()
		if f.g != nil {
			f.g.close()
		}
		t.Attack = &f.out
		return err
	}}
}

func (f *fuzz) run() error {
	if err := f.aim(); err != nil {
		return err
	}
	if err := f.room(&f.out.RoomBefore); err != nil {
		return err
	}
	for quarter := 1; f.sending < f.o.For && len(f.out.Ended) < mostSmall && f.ends() < mostEnds; {
		if err := f.t.Ctx.Err(); err != nil {
			return err
		}
		if err := f.round(); err != nil {
			return err
		}
		if f.sending >= f.o.For*time.Duration(quarter)/4 {
			quarter++
			f.measure()
		}
	}
	f.out.PerSecond = float64(f.out.Inputs) / f.sending.Seconds()
	f.out.Answers, f.out.Sessions = f.out.Answers+f.g.answers.count.Load(), f.out.Sessions+f.g.answers.accepted.Load()
	f.g.answers.delete(f.t.Ctx, f.g.peer)
	if err := f.room(&f.out.RoomAfter); err != nil {
		return err
	}
	return f.verdict()
}

// room notes how many of roomTried sessions of the first SMF the UPF takes.
func (f *fuzz) room(into *int) (err error) {
	*into, err = f.t.Room(1+attackers, roomTried)
	return err
}

// aim makes a new target.
func (f *fuzz) aim() (err error) {
	if f.g, err = aim(f.t); err != nil {
		return err
	}
	f.next, f.window, f.seen = f.source(f.g, f.o.Seed+uint64(f.rounds)), nil, nil
	return nil
}

func (f *fuzz) ends() (n int) {
	for _, e := range f.out.Ended {
		n += e.Times
	}
	return n
}

// round sends for a while, then looks whether the UPF is well.
func (f *fuzz) round() error {
	if err := f.burst(); err != nil {
		return err
	}
	f.rounds++
	harm := f.g.harm(f.rounds%5 == 0)
	if harm == "" {
		f.g.answers.delete(f.t.Ctx, f.g.peer)
		if f.rounds%refreshEach == 0 {
			return f.refresh()
		}
		return nil
	}
	return f.ended(harm)
}

// burst sends the inputs of a round.
func (f *fuzz) burst() error {
	unread := f.unread()
	begin := time.Now()
	for sent := 0; time.Since(begin) < roundLength && f.t.Lab.Alive() == nil; {
		for due := int(time.Since(begin).Seconds() * float64(f.o.PerSecond)); sent <= due && time.Since(begin) < roundLength; {
			in := f.next()
			if len(in.Data) == 0 || !f.g.harmless(in) || f.avoided(in) {
				continue
			}
			if err := f.g.send(in); err != nil {
				return err
			}
			f.window = append(f.window, in)
			f.out.Inputs++
			sent++
		}
		time.Sleep(200 * time.Microsecond) // the pace
	}
	f.sending += time.Since(begin)
	f.out.Unread += f.unread() - unread
	return nil
}

// unread is how many datagrams the sockets of the UPF had no room for so far.
func (f *fuzz) unread() uint64 {
	read := f.t.Lab.Capabilities().Unread
	if read == nil {
		return 0
	}
	n, _ := read() // 0 where it is not known
	return n
}

// avoided reports whether an input is of a type that is not sent any more.
func (f *fuzz) avoided(in Input) bool {
	return in.Port == N4 && len(in.Data) > 1 && f.avoid[in.Data[1]]
}

// shun avoids the type of the one message that ended the UPF, unless it is a session's.
func (f *fuzz) shun(small []Input) {
	if len(small) != 1 || small[0].Port != N4 || len(small[0].Data) < 2 {
		return
	}
	if typ := small[0].Data[1]; !pfcp.MessageType(typ).OfSession() {
		f.avoid[typ] = true
	}
}

// refresh makes the attacker's association and sessions anew: inputs have ended some.
func (f *fuzz) refresh() error {
	if !f.g.own {
		return nil
	}
	count, accepted := f.g.answers.count.Load(), f.g.answers.accepted.Load()
	f.out.Answers, f.out.Sessions = f.out.Answers+count, f.out.Sessions+accepted
	if err := f.g.again(); err != nil {
		return f.ended("it takes no association or session of the SMF that sent the inputs any more: " + err.Error())
	}
	f.g.answers.count.Store(0)
	f.g.answers.accepted.Store(0)
	f.next, f.window = f.source(f.g, f.o.Seed+uint64(f.rounds)), nil
	return nil
}

// measure notes what the UPF has of its machine when the inputs' sessions are deleted.
func (f *fuzz) measure() {
	read := f.t.Lab.Capabilities().Footprint
	if read == nil {
		return
	}
	f.g.answers.delete(f.t.Ctx, f.g.peer)
	_, _ = f.t.Peer().Ask(f.t.Ctx, f.t.Peer().Heartbeat(), n4.Patience{T1: time.Second, Tries: 3})
	if p, err := read(); err == nil && p.Octets > 0 {
		f.seen = append(f.seen, p)
	}
}

// ended deals with a UPF that came to harm.
func (f *fuzz) ended(harm string) error {
	f.out.Answers, f.out.Sessions = f.out.Answers+f.g.answers.count.Load(), f.out.Sessions+f.g.answers.accepted.Load()
	window := f.g.kept(f.window)
	f.g.close()
	if same := known(f.out.Ended, harm); same != nil {
		same.Times++
	} else {
		e := record.Ended{What: harm, Times: 1}
		small, again := smaller(f.t, window)
		e.Repeatable, e.Inputs = again, len(small)
		if f.t.File != "" {
			e.File = numbered(f.t.File, len(f.out.Ended)+1)
			kept := File{Title: f.t.Title, UPF: f.t.Label, Harm: harm}
			if err := kept.Write(e.File, small); err != nil {
				return err
			}
		}
		f.out.Ended = append(f.out.Ended, e)
		f.shun(small)
	}
	if err := f.t.Restart(f.t.Ctx); err != nil {
		return err
	}
	return f.aim()
}

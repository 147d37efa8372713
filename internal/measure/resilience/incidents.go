package resilience

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/selection"
	"github.com/upflab/upflab/internal/text/wait"
)

// Kind is an incident that can happen.
type Kind struct {
	ID, Title, Clause string
	UEs               int
	PPS               float64 // each direction
	do                func(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error
	// Rough ones leave the UPF in a state that the next one cannot begin with.
	Rough bool
	// Kills says that it ends the UPF, which upflab does to one of its own.
	Kills bool
}

// Kinds lists them, in the order in which they are done.
func Kinds() []Kind {
	const slow, fast = 2000, 10_000
	return []Kind{
		{ID: "handover.1", Title: "One UE's path is switched to another gNB",
			Clause: "TS 23.502 4.9.1.2; TS 29.281 7.3.2", UEs: 1, PPS: fast, do: handover},
		{ID: "handover.1000", Title: "The paths of 1000 UEs are switched at once",
			Clause: "TS 23.502 4.9.1.2; TS 29.281 7.3.2", UEs: 1000, PPS: fast, do: handover},
		{ID: "idle.1", Title: "A UE is idle for 1 s, paged and active again",
			Clause: "TS 23.502 4.2.6, 4.2.3.3; TS 29.244 5.2.3.1", UEs: 1, PPS: 1000, do: idle(time.Second)},
		{ID: "idle.100", Title: "100 UEs are idle for 2 s, paged and active again",
			Clause: "TS 23.502 4.2.6, 4.2.3.3; TS 29.244 5.2.3.1", UEs: 100, PPS: slow, do: idle(2 * time.Second)},
		{ID: "n4.cut", Title: "N4 passes nothing for 10 s", Clause: "TS 29.244 6.2.2; TS 23.007 19A", UEs: 20, PPS: slow, do: cutN4},
		{ID: "smf.restart", Title: "The SMF ends, and comes back after 2 s", Clause: "TS 23.007 19A; TS 29.244 6.2.6",
			UEs: 20, PPS: slow, do: restartSMF, Rough: true},
		{ID: "n3.lost", Title: "N3 to the only gNB passes nothing for 10 s",
			Clause: "TS 23.007 20.3.4; TS 29.244 7.4.5", UEs: 20, PPS: slow, do: lostN3},
		{ID: "gnb.gone", Title: "One of two gNBs is gone, and takes nothing", Clause: "TS 23.007 21; TS 29.281 7.3.1",
			UEs: 20, PPS: slow, do: goneGNB},
		{ID: "upf.killed", Title: "The UPF is killed, and started again at once",
			Clause: "TS 23.007 19A; TS 29.244 6.2.2", UEs: 20, PPS: slow, do: killed, Rough: true, Kills: true},
	}
}

// Select takes those with an ID, or all of a group; none: all.
func Select(ids []string) ([]Kind, error) {
	return selection.Of(Kinds(), func(k *Kind) string { return k.ID }, "incident", ids)
}

// calm is traffic before and after an incident.
const calm = 500 * time.Millisecond

// Do lets an incident happen. What goes wrong is in it; an error is the user's end.
func (b *Bench) Do(ctx context.Context, k Kind) (record.Incident, error) {
	x := record.Incident{ID: k.ID, Title: k.Title, Clause: k.Clause, UEs: k.UEs, PPS: k.PPS}
	if k.Kills && !b.lab.Owns() {
		x.NotApplicable = "upflab ends no UPF that it did not start"
		return x, nil
	}
	ues, err := b.establish(ctx, k.UEs)
	if err != nil {
		x.Problem = err.Error()
		return x, ctx.Err()
	}
	s := b.stream(ues, k.PPS)
	s.Start()
	_ = wait.Pause(ctx, calm)
	b.forget()
	s.begins()
	if err := k.do(ctx, b, s, &x); err != nil {
		x.Problem = err.Error()
	}
	_ = wait.Pause(ctx, calm)
	s.Stop(ctx)
	x.Uplink, x.Downlink = s.losses()
	if died := b.lab.Alive(); died != nil {
		x.Died = true
		if x.Problem == "" { // else it says why a UPF that was ended did not come back
			x.Problem = died.Error()
		}
	}
	b.remove(ctx, ues)
	return x, ctx.Err()
}

// handover switches the UEs' paths to the second gNB, under new TEIDs, with End Markers.
func handover(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error {
	net := b.lab.Net()
	s.move(s.ues, 1)
	began := time.Now()
	err := b.modify(ctx, s.ues, func(e smf.Established) smf.Change {
		return smf.Change{GNB: net.GNB[1], TEID: e.DownlinkTEID + 1, EndMarker: true}
	})
	took := time.Since(began)
	x.Told = b.heard(began)
	if err != nil {
		return err
	}
	_ = wait.Pause(ctx, max(calm, time.Duration(3*float64(len(s.ues))/s.rate*float64(time.Second))))
	h := s.pathSwitch()
	h.N4S = took.Seconds()
	x.Handover = &h
	return nil
}

// idle makes the UEs idle for a time, and active again.
func idle(d time.Duration) func(context.Context, *Bench, *Stream, *record.Incident) error {
	return func(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error {
		s.mute(true)
		began := time.Now()
		if err := b.modify(ctx, s.ues, func(smf.Established) smf.Change { return smf.Change{Action: rules.Buffer | rules.Notify} }); err != nil {
			return fmt.Errorf("to idle: %w", err)
		}
		from := s.now()
		_ = wait.Pause(ctx, d)
		x.Told = b.heard(began)
		reports := b.dataReports()
		to := s.now()
		err := b.modify(ctx, s.ues, func(e smf.Established) smf.Change {
			return smf.Change{Action: rules.Forward, GNB: e.GNB, TEID: e.DownlinkTEID}
		})
		s.mute(false)
		if err != nil {
			return fmt.Errorf("to active: %w", err)
		}
		_ = wait.Pause(ctx, calm)
		k := s.buffered(from, to)
		k.Reports = len(reports)
		if len(reports) > 0 {
			k.Reported, k.ReportS = true, max(0, reports[0].Sub(began).Seconds())
		}
		x.Buffer = &k
		return nil
	}
}

// outage is how long something fails.
const outage = 10 * time.Second

// cutN4 cuts N4, and looks whether the sessions can be modified afterwards.
func cutN4(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error {
	p := &phases{began: time.Now()}
	b.conn.off.Store(true)
	_ = wait.Pause(ctx, outage)
	b.conn.off.Store(false)
	p.add("N4 is back")
	err := b.modify(ctx, s.ues, func(e smf.Established) smf.Change { return smf.Change{GNB: e.GNB, TEID: e.DownlinkTEID} })
	x.Told = b.heard(p.began)
	if err != nil {
		x.Phases = p.list
		return fmt.Errorf("the sessions cannot be modified any more: %w", err)
	}
	p.add("sessions are modified")
	x.Phases = p.list
	return nil
}

// restartSMF ends the SMF; another one with the same address takes its place and
// establishes its sessions anew.
func restartSMF(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error {
	p := &phases{began: time.Now()}
	defer func() { x.Phases = p.list }()
	if err := b.hangUp(); err != nil {
		return err
	}
	_ = wait.Pause(ctx, 2*time.Second)
	p.add("the SMF is back")
	if err := b.associate(ctx, 15*time.Second); err != nil {
		return err
	}
	p.add("associated")
	_ = wait.Pause(ctx, calm) // what the old sessions still do shows
	p.add("sessions are established again")
	err := b.again(ctx, s)
	x.Told = b.heard(p.began)
	return err
}

// lostN3 lets the gNB hear and say nothing.
func lostN3(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error {
	p := &phases{began: time.Now()}
	s.sever(0, true)
	_ = wait.Pause(ctx, outage)
	s.sever(0, false)
	p.add("N3 is back")
	_ = wait.Pause(ctx, calm)
	x.Told, x.Phases = b.heard(p.began), p.list
	return nil
}

// goneGNB lets one of two gNBs hear and say nothing; the others' UEs are bystanders.
func goneGNB(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error {
	net := b.lab.Net()
	half := s.ues[:len(s.ues)/2]
	s.move(half, 1)
	if err := b.modify(ctx, half,
		func(e smf.Established) smf.Change { return smf.Change{GNB: net.GNB[1], TEID: e.DownlinkTEID + 1} }); err != nil {
		return err
	}
	_ = wait.Pause(ctx, calm)
	p := &phases{began: time.Now()}
	b.forget()
	s.sever(1, true)
	_ = wait.Pause(ctx, outage/2)
	p.add(fmt.Sprintf("the gNB is still gone; of its %d UEs nothing arrives", len(half)))
	x.Told, x.Phases = b.heard(p.began), p.list
	return nil
}

// killed ends the UPF by SIGKILL and starts it again at once; the SMF associates as
// soon as it answers, and establishes the sessions anew.
func killed(ctx context.Context, b *Bench, s *Stream, x *record.Incident) error {
	p := &phases{began: time.Now()}
	defer func() { x.Phases = p.list }()
	if err := b.lab.Kill(); err != nil {
		return err
	}
	p.add("killed")
	if err := b.hangUp(); err != nil {
		return err
	}
	if err := b.lab.StartAgain(ctx); err != nil {
		return fmt.Errorf("start it again: %w", err)
	}
	p.add("started")
	if err := b.associate(ctx, 15*time.Second); err != nil {
		return err
	}
	p.add("associated")
	if err := b.again(ctx, s); err != nil {
		return err
	}
	p.add("sessions are established again")
	x.Told = b.heard(p.began)
	return nil
}

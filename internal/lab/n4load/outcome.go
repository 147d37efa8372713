package n4load

import (
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/traffic"
)

// Outcome is what became of the procedures of an offer.
type Outcome struct {
	Due        uint64 // procedures that fell due
	Sent       uint64 // begun
	Done       uint64 // procedures of which every message was accepted, in time or late
	Refused    uint64
	Unanswered uint64 // within Offer.Settle after the last one, or not begun because all sessions waited for answers
	Late       uint64 // procedures of Done that took longer than Offer.Limit
	Seconds    float64
	// Latency counts from when a procedure was due, FromSend from its first message; Lag is the difference, by
	// which the sender was late. Answers are of single messages, from sending one to when the kernel took
	// the answer: they exclude what this process waits for the CPU, which the others include where a
	// procedure has several messages. All are in ns.
	Latency, FromSend, Lag, Answers traffic.Histogram
	Causes                          map[pfcp.Cause]uint64
	Of                              map[Procedure]*Part
	limit                           int64
}

// Part is what became of one procedure of a mix.
type Part struct {
	Sent, Done, Refused uint64
	Latency             traffic.Histogram
}

func newOutcome(limit time.Duration) *Outcome {
	return &Outcome{Causes: map[pfcp.Cause]uint64{}, Of: map[Procedure]*Part{}, limit: int64(limit)}
}

// LossRatio is the share of the begun procedures that were refused or not answered.
func (o *Outcome) LossRatio() float64 {
	if o.Sent == 0 {
		return 0
	}
	return float64(o.Refused+o.Unanswered) / float64(o.Sent)
}

func (o *Outcome) part(p Procedure) *Part {
	part := o.Of[p]
	if part == nil {
		part = new(Part)
		o.Of[p] = part
	}
	return part
}

func (o *Outcome) sent(t *task) {
	o.Sent++
	o.part(t.procedure).Sent++
	o.Lag.Add(uint64(max(0, t.sent-t.due)))
}

func (o *Outcome) answered(t *task, now int64) {
	if t.Transmissions() == 1 {
		o.Answers.Add(uint64(max(0, now-t.last)))
	}
}

func (o *Outcome) done(t *task, now int64) {
	took := uint64(max(0, now-t.due))
	o.Done++
	o.Latency.Add(took)
	o.FromSend.Add(uint64(max(0, now-t.sent)))
	if o.limit > 0 && int64(took) > o.limit {
		o.Late++
	}
	part := o.part(t.procedure)
	part.Done++
	part.Latency.Add(took)
}

func (o *Outcome) refuse(t *task, cause pfcp.Cause) {
	o.Refused++
	o.Causes[cause]++
	o.part(t.procedure).Refused++
}

// Add adds the outcome of a further offer at the same rate.
func (o *Outcome) Add(more *Outcome) {
	o.Due, o.Sent, o.Done = o.Due+more.Due, o.Sent+more.Sent, o.Done+more.Done
	o.Refused, o.Unanswered, o.Late = o.Refused+more.Refused, o.Unanswered+more.Unanswered, o.Late+more.Late
	o.Seconds += more.Seconds
	o.Latency.Merge(&more.Latency)
	o.FromSend.Merge(&more.FromSend)
	o.Lag.Merge(&more.Lag)
	o.Answers.Merge(&more.Answers)
	for cause, n := range more.Causes {
		o.Causes[cause] += n
	}
	for p, from := range more.Of {
		to := o.part(p)
		to.Sent, to.Done, to.Refused = to.Sent+from.Sent, to.Done+from.Done, to.Refused+from.Refused
		to.Latency.Merge(&from.Latency)
	}
}

// CauseNames names the refusals of an outcome for a record.
func (o *Outcome) CauseNames() map[string]uint64 {
	if len(o.Causes) == 0 {
		return nil
	}
	names := map[string]uint64{}
	for c, n := range o.Causes {
		names[c.String()] += n
	}
	return names
}

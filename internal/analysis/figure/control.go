package figure

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// The kinds of what the control-plane study has.
const (
	KindN4       = "n4"       // a rate of procedures
	KindBeside   = "beside"   // user traffic while procedures run
	KindCapacity = "capacity" // sessions until refused
)

// ofControl are the figures of the control-plane study. Those of user traffic and those of
// the procedures that ran meanwhile are of one place, so that a scenario may have an
// objective for each.
func ofControl() []Figure {
	return []Figure{
		{Name: "n4.rate", Unit: Rate, Doc: "highest rate of a procedure with nearly all accepted", Bench: true, control: rates(record.RateMax)},
		{Name: "n4.rate_p99", Unit: Rate,
			Doc: "highest rate of a procedure with p99 of the answers within control.p99", Bench: true,
			control: rates(record.RateP99)},
		{Name: "n4.sessions", Unit: Count,
			Doc:     "sessions established until the UPF refused or died, or control.capacity was reached",
			control: capacity(func(c *record.SessionCapacity) float64 { return float64(c.Sessions) })},
		{Name: "n4.session_bytes", Unit: Bytes, Doc: "memory that a session takes",
			control: capacity(func(c *record.SessionCapacity) float64 { return positive(c.BytesPerSession) })},
		{Name: "n4.tear_down_rate", Unit: Rate, Doc: "sessions deleted in a second",
			control: capacity(func(c *record.SessionCapacity) float64 { return positive(c.TearDownPerS) })},
		{Name: "beside.loss_ratio", Unit: Ratio,
			Doc: "lost / sent of users' packets while procedures run on other sessions, beyond what the bench's " +
				"own procedures cost",
			control: beside(func(x, bench *record.BesideTraffic) float64 {
				if bench == nil {
					return x.FrameLossRatio
				}
				return max(0, x.FrameLossRatio-bench.FrameLossRatio)
			})},
		{Name: "beside.p99", Unit: Nanos, Doc: "one-way latency of users' packets meanwhile",
			control: beside(func(x, _ *record.BesideTraffic) float64 { return positive(float64(x.P99NS)) })},
		{Name: "beside.blocked", Unit: Seconds,
			Doc:     "time for which users were blocked meanwhile: lost / offered load",
			control: beside(func(x, _ *record.BesideTraffic) float64 { return x.BlockedS })},
		{Name: "beside.reordered", Unit: Count, Doc: "users' packets overtaken meanwhile",
			control: beside(func(x, _ *record.BesideTraffic) float64 { return float64(x.Reordered) })},
		{Name: "beside.n4_p99", Unit: Nanos, Doc: "answer latency of the procedures, while users have traffic",
			control: beside(func(x, _ *record.BesideTraffic) float64 { return procedures(x, p99Of) })},
		{Name: "beside.n4_answer_p99", Unit: Nanos,
			Doc: "answer latency of single messages, from sending one to when the kernel took its answer, while " +
				"users have traffic",
			control: beside(func(x, _ *record.BesideTraffic) float64 { return procedures(x, answerOf) })},
		{Name: "beside.n4_failed_ratio", Unit: Ratio, Doc: "procedures refused or not answered, of those begun, while users have traffic",
			control: beside(func(x, _ *record.BesideTraffic) float64 { return procedures(x, failedRatio) })},
	}
}

// rates are those that searches with a goal found.
func rates(goal string) func(*record.ControlPlane) []Sample {
	return func(c *record.ControlPlane) (list []Sample) {
		for i := range c.Rates {
			r := &c.Rates[i]
			if r.Goal != goal {
				continue
			}
			s := Sample{Place: Place{Key: record.Key{Kind: KindN4, Procedure: r.Procedure}}, Repeat: 1, Value: r.PerS,
				Valid: r.Valid || r.PerS > 0, Why: first(r.Reasons), LimitedBy: record.LimitDUT, Index: i}
			if r.AtLeast {
				s.LimitedBy = record.LimitGenerator
			}
			list = append(list, s)
		}
		return list
	}
}

func capacity(of func(*record.SessionCapacity) float64) func(*record.ControlPlane) []Sample {
	return func(c *record.ControlPlane) []Sample {
		if c.Capacity == nil {
			return nil
		}
		return add(nil, Sample{Place: Place{Key: record.Key{Kind: KindCapacity}}, Repeat: 1, Value: of(c.Capacity),
			Valid: true, LimitedBy: record.LimitDUT})
	}
}

// beside are figures of users' traffic with procedures to the UPF. bench is the same with
// those to the bench; nil: it was not measured.
func beside(of func(x, bench *record.BesideTraffic) float64) func(*record.ControlPlane) []Sample {
	return func(c *record.ControlPlane) (list []Sample) {
		var bench *record.BesideTraffic
		for i := range c.Beside {
			x := &c.Beside[i]
			switch x.With {
			case record.BesideBench:
				bench = x
				continue
			case record.BesideNobody:
				bench = nil
				continue
			}
			at := Place{Key: record.Key{Kind: KindBeside, Stream: record.Stream{Direction: x.Direction},
				Load: record.Load{PPS: x.PerS}}, Share: x.Share}
			list = add(list, Sample{Place: at, Repeat: 1, Value: of(x, bench), Valid: x.Valid, Why: first(x.Reasons),
				LimitedBy: record.LimitDUT, Index: i})
		}
		return list
	}
}

func procedures(x *record.BesideTraffic, of func(*record.ProcedureLoad) float64) float64 {
	if x.Procedures == nil {
		return none()
	}
	return of(x.Procedures)
}

func p99Of(l *record.ProcedureLoad) float64 { return p99(l.Latency) }

func answerOf(l *record.ProcedureLoad) float64 { return p99(l.Answers) }

func p99(l *record.Latency) float64 {
	if l == nil || l.Count == 0 {
		return none()
	}
	return float64(l.P99)
}

func failedRatio(l *record.ProcedureLoad) float64 {
	if l.Sent == 0 {
		return none()
	}
	return float64(l.Refused+l.Unanswered) / float64(l.Sent)
}

// controlWords is a place of the control-plane study in a few words.
func (p Place) controlWords() string {
	switch p.Kind {
	case KindN4:
		return p.Procedure
	case KindCapacity:
		return "sessions"
	}
	return fmt.Sprintf("%s at %.4g %%, beside %s procedures/s", p.Direction, 100*p.Share, units.Number(p.Load.PPS, "%.0f"))
}

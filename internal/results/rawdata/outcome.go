package rawdata

import (
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// line is a trial in trialsFile.
type line struct {
	ID uint64 `json:"id"`
	*trial.Raw
	Traffic outcome `json:"traffic"`
}

// outcome is what of a trial's traffic is in no table.
type outcome struct {
	Sending       traffic.Span `json:"sending_ns"`
	SendSeconds   float64      `json:"send_s"`
	BusyRatio     float64      `json:"generator_busy"`
	Doubts        []string     `json:"doubts,omitempty"`
	Level         uint         `json:"level"` // windows of 2^level * 1048576 ns
	Lateness      summary      `json:"lateness"`
	Flows         []flow       `json:"flows"`
	Excluded      excluded     `json:"excluded"`
	PointsSummary []summary    `json:"points,omitempty"`
}

type excluded struct {
	Void    bool           `json:"void,omitempty"`
	Windows uint64         `json:"windows"`
	Of      uint64         `json:"of"`
	Seconds float64        `json:"seconds"`
	Spans   []traffic.Span `json:"spans_ns,omitempty"`
	Level   uint           `json:"level"`
	Flows   []excludedFlow `json:"flows,omitempty"`
}

type excludedFlow struct {
	Level   uint    `json:"level"`
	Latency summary `json:"due"`
}

// flow is what of a flow is in no table.
type flow struct {
	Receiving         traffic.Span      `json:"receiving_ns"`
	ReceiveSeconds    float64           `json:"receive_s"`
	Marked            uint64            `json:"ce_marked,omitempty"`
	Duplicates        uint64            `json:"duplicates"`
	Foreign           uint64            `json:"foreign"`
	Reordered         uint64            `json:"reordered"`
	Wrong             []record.Count    `json:"wrong,omitempty"`
	LossRuns          []traffic.LossRun `json:"loss_runs,omitempty"`
	ExtentUnknown     uint64            `json:"extent_unknown,omitempty"`
	JitterNS          float64           `json:"jitter_ns"`
	SentBySession     []uint64          `json:"sent_by_session,omitempty"`
	ReceivedBySession []uint64          `json:"received_by_session,omitempty"`
	Turned            uint64            `json:"turned,omitempty"`
	StayNS            uint64            `json:"stay_ns,omitempty"`
	Stamps            *stamps           `json:"stamps,omitempty"`
	Level             uint              `json:"level"`
	BlockLevel        uint              `json:"block_level"` // blocks of the histogram "due"
	Latency           summary           `json:"due"`
	Actual            summary           `json:"sent"`
	IPDV              summary           `json:"ipdv"`
	Extents           summary           `json:"extent"`
	Returns           summary           `json:"round_trip"`
}

type stamps struct {
	With    uint64  `json:"with"`
	Without uint64  `json:"without"`
	Early   uint64  `json:"early"`
	AheadNS int64   `json:"ahead_ns"`
	ErrorNS uint64  `json:"error_ns"`
	Why     string  `json:"why,omitempty"`
	Latency summary `json:"nic"`
}

// summary is what a histogram's buckets do not say.
type summary struct {
	Sum  uint64       `json:"sum"`
	Min  uint64       `json:"min"`
	Max  uint64       `json:"max"`
	Grid traffic.Grid `json:"grid,omitempty"`
}

func summaryOf(h *traffic.Histogram) summary { return summary{h.Sum, h.Min, h.Max, h.Grid} }

func (s summary) into(h *traffic.Histogram) {
	h.Sum, h.Min, h.Max, h.Grid = s.Sum, s.Min, s.Max, s.Grid
}

func outcomeOf(r *trial.Raw) outcome {
	o := &r.Outcome
	out := outcome{Sending: o.Sending, SendSeconds: o.SendSeconds, BusyRatio: o.BusyRatio, Doubts: o.Doubts, Level: o.Tallies.Level,
		Lateness: summaryOf(&o.Lateness),
		Excluded: excluded{o.Excluded.Void, o.Excluded.Windows, o.Excluded.Of, o.Excluded.Seconds, o.Excluded.Spans, o.Excluded.Tallies.Level, nil},
	}
	for i := range o.Flows {
		out.Flows = append(out.Flows, flowOf(&o.Flows[i]))
	}
	for i := range o.Excluded.Received {
		out.Excluded.Flows = append(out.Excluded.Flows, excludedFlow{o.Excluded.FlowTallies[i].Level, summaryOf(&o.Excluded.Latency[i])})
	}
	for _, p := range r.Series {
		out.PointsSummary = append(out.PointsSummary, summaryOf(p.Latency))
	}
	return out
}

func flowOf(f *traffic.FlowOutcome) flow {
	x := flow{Receiving: f.Receiving, ReceiveSeconds: f.ReceiveSeconds, Marked: f.Marked, Duplicates: f.Duplicates, Foreign: f.Foreign,
		Reordered: f.Reordered, Wrong: f.Wrong, LossRuns: f.LossRuns, ExtentUnknown: f.ExtentUnknown, JitterNS: f.JitterNS,
		SentBySession: f.SentBySession, ReceivedBySession: f.ReceivedBySession, Turned: f.RoundTrips.Turned, StayNS: f.RoundTrips.StayNS,
		Level: f.Tallies.Level, BlockLevel: f.Blocks.Level, Latency: summaryOf(&f.Latency), Actual: summaryOf(&f.Actual),
		IPDV: summaryOf(&f.IPDV), Extents: summaryOf(&f.Extents), Returns: summaryOf(&f.RoundTrips.Returns)}
	if s := &f.Stamps; s.With+s.Without+s.Early > 0 || s.Why != "" {
		x.Stamps = &stamps{s.With, s.Without, s.Early, s.AheadNS, s.ErrorNS, s.Why, summaryOf(&s.Latency)}
	}
	return x
}

// restore gives the outcome without its tables.
func (x outcome) restore() traffic.Outcome {
	o := traffic.Outcome{Sending: x.Sending, SendSeconds: x.SendSeconds, BusyRatio: x.BusyRatio, Doubts: x.Doubts,
		Tallies: traffic.Tallies{Level: x.Level},
		Excluded: traffic.Excluded{Void: x.Excluded.Void, Windows: x.Excluded.Windows, Of: x.Excluded.Of, Seconds: x.Excluded.Seconds,
			Spans: x.Excluded.Spans, Tallies: traffic.Tallies{Level: x.Excluded.Level}}}
	x.Lateness.into(&o.Lateness)
	for _, f := range x.Flows {
		o.Flows = append(o.Flows, f.restore())
	}
	for _, f := range x.Excluded.Flows {
		h := traffic.Histogram{}
		f.Latency.into(&h)
		o.Excluded.Received = append(o.Excluded.Received, 0)
		o.Excluded.Latency = append(o.Excluded.Latency, h)
		o.Excluded.FlowTallies = append(o.Excluded.FlowTallies, traffic.Tallies{Level: f.Level})
	}
	return o
}

func (x flow) restore() traffic.FlowOutcome {
	f := traffic.FlowOutcome{Receiving: x.Receiving, ReceiveSeconds: x.ReceiveSeconds, Marked: x.Marked, Duplicates: x.Duplicates, Foreign: x.Foreign,
		Reordered: x.Reordered, Wrong: x.Wrong, LossRuns: x.LossRuns, ExtentUnknown: x.ExtentUnknown, JitterNS: x.JitterNS,
		SentBySession: x.SentBySession, ReceivedBySession: x.ReceivedBySession,
		Tallies: traffic.Tallies{Level: x.Level}, Blocks: traffic.Blocks{Level: x.BlockLevel}}
	f.RoundTrips.Turned, f.RoundTrips.StayNS = x.Turned, x.StayNS
	x.Latency.into(&f.Latency)
	x.Actual.into(&f.Actual)
	x.IPDV.into(&f.IPDV)
	x.Extents.into(&f.Extents)
	x.Returns.into(&f.RoundTrips.Returns)
	if s := x.Stamps; s != nil {
		f.Stamps = traffic.Stamps{With: s.With, Without: s.Without, Early: s.Early, AheadNS: s.AheadNS, ErrorNS: s.ErrorNS, Why: s.Why}
		s.Latency.into(&f.Stamps.Latency)
	}
	return f
}

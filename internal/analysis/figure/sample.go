package figure

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// The kinds of what has figures, besides those of trials and flows.
const (
	KindSetup = "setup" // a DUT as a whole
)

// Place is what was measured of a DUT: two samples of one place are repeats.
type Place struct {
	record.Key               // Kind is a trial's, a flow's, KindSearch, KindSetup or one of the control-plane study
	Flow       record.AppKey // of a flow
	Share      float64       // of KindBeside: users' traffic, of what the DUT carries; Load is procedures/s
}

// Sample is one value of a figure.
type Sample struct {
	Place
	Repeat    int
	Value     float64
	Valid     bool
	Why       string       // it is not valid
	LimitedBy record.Limit // as in record.Trial
	// AtMost and AtLeast are why the value is a bound, a phrase; "": it is none.
	AtMost, AtLeast string
	AtRate          record.Key
	Started         time.Time
	// Index is that of the trial, search or flow in its list of the DUT: figures of one
	// Kind and Index were measured together.
	Index int
}

// Own reports whether nothing but the DUT limited the value.
func (s Sample) Own() bool { return s.LimitedBy == record.LimitDUT }

// Carried reports whether everything offered was carried.
func (s Sample) Carried() bool { return s.LimitedBy == record.LimitNone }

// BoundOf is what a trial's figure is to the UPF's own.
func (f Figure) BoundOf(t *record.Trial) record.Bound {
	atMost, atLeast := "", ""
	if f.bounds != nil {
		atMost, atLeast = f.bounds(t)
	}
	other := t.Kind == record.KindLoad && t.LimitedBy != record.LimitDUT
	switch {
	case atMost != "", other && t.LimitedBy != record.LimitNone && f.Name == "frame_loss_ratio":
		return record.AtMost
	case atLeast != "", other && f.Offered:
		return record.AtLeast
	}
	return ""
}

// Samples lists the values of a figure that a DUT has.
func (f Figure) Samples(d *record.DUT) (list []Sample) {
	switch {
	case f.trial != nil:
		for i := range d.Trials {
			t := &d.Trials[i]
			s := Sample{Place: OfTrial(t), Repeat: t.Repeat, Value: f.trial(t), Valid: t.Valid, Why: first(t.Reasons),
				LimitedBy: t.LimitedBy, AtRate: t.KeyAtRate(), Started: t.Started, Index: i}
			if f.bounds != nil {
				s.AtMost, s.AtLeast = f.bounds(t)
			}
			list = add(list, s)
		}
	case f.search != nil:
		for i := range d.Searches {
			s := &d.Searches[i]
			list = add(list, Sample{Place: Place{Key: record.Key{Kind: record.KindSearch, Stream: s.Stream()}},
				Repeat: s.Repeat, Value: f.search(s), Valid: s.Valid || s.Found(), Why: first(s.Reasons),
				LimitedBy: s.LimitedBy, Index: i})
		}
	case f.flow != nil:
		for i := range d.Flows {
			a := &d.Flows[i]
			list = add(list, Sample{Place: OfFlow(a), Repeat: a.Repeat, Value: f.flow(a), Valid: a.Valid,
				Why: first(a.Reasons), LimitedBy: a.LimitedBy, Started: a.Started, Index: i})
		}
	case f.counted != nil:
		for i := range d.Instructions {
			x := &d.Instructions[i]
			t := x.Trial()
			list = add(list, Sample{Place: OfTrial(&t), Repeat: x.Repeat, Value: f.counted(x), Valid: x.Valid, Why: first(x.Reasons),
				LimitedBy: record.LimitDUT, Started: x.Started, Index: i})
		}
	case f.control != nil && d.ControlPlane != nil:
		list = f.control(d.ControlPlane)
	case f.dut != nil:
		s := Sample{Place: Place{Key: record.Key{Kind: KindSetup}}, Repeat: 1, Value: f.dut(d),
			Valid: d.Status != record.StatusFailed, Why: d.Error, LimitedBy: record.LimitDUT}
		if f.dutAtLeast != nil {
			s.AtLeast = f.dutAtLeast(d)
		}
		list = add(list, s)
	}
	return list
}

// add leaves out what was not measured.
func add(list []Sample, s Sample) []Sample {
	if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
		return list
	}
	return append(list, s)
}

// OfTrial is the place of a trial.
func OfTrial(t *record.Trial) Place { return Place{Key: t.Key()} }

// OfFlow is the place of a flow.
func OfFlow(f *record.AppFlow) Place {
	return Place{Key: record.Key{Kind: record.Kind(f.Kind), Stream: record.Stream{Direction: f.Direction}}, Flow: f.Key()}
}

func first(reasons []string) string {
	if len(reasons) == 0 {
		return ""
	}
	return reasons[0]
}

// Words is the place in a few words: "uplink 500k", "downlink latency at 1k",
// "frame:512 both max", "tcp uplink". A size is named when sized is set.
func (p Place) Words(sized bool) string {
	switch p.Kind {
	case KindSetup:
		return "setup"
	case KindN4, KindBeside, KindCapacity:
		return p.controlWords()
	}
	var parts []string
	if sized && p.Size != "" {
		parts = append(parts, p.Size)
	}
	switch p.Kind {
	case record.KindInstructions:
		parts = append(parts, string(p.Direction), p.Procedure)
	case record.KindLoad:
		parts = append(parts, string(p.Direction), p.Load.String())
	case record.KindLatency:
		parts = append(parts, string(p.Direction), "latency at "+p.Load.String())
	case record.KindSearch:
		parts = append(parts, string(p.Direction), "search")
	default:
		parts = append(parts, p.flowWords()...)
	}
	parts = append(parts, p.Arrivals)
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

func (p Place) flowWords() []string {
	words := []string{string(p.Kind), string(p.Direction)}
	if p.Flow.UEs > 1 {
		words = append(words, fmt.Sprintf("%d UEs", p.Flow.UEs))
	}
	if p.Flow.Streams > 1 {
		words = append(words, fmt.Sprintf("%d streams", p.Flow.Streams))
	}
	if p.Flow.Beside != "" {
		words = append(words, "beside "+p.Flow.Beside)
	}
	if p.Flow.Handover {
		words = append(words, "handover")
	}
	return append(words, p.Flow.Family, p.Flow.Link)
}

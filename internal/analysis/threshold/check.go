package threshold

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
)

// CheckAll says of each threshold what it comes to for each place of each DUT that it is
// for.
func CheckAll(r *record.Result, list []Threshold) (all []record.Threshold) {
	for _, t := range list {
		all = append(all, t.Check(r)...)
	}
	return all
}

// Check is CheckAll for one threshold; it gives at least one line.
func (t Threshold) Check(r *record.Result) (list []record.Threshold) {
	for i := range r.DUTs {
		if d := &r.DUTs[i]; t.isFor(d) {
			list = append(list, t.checkDUT(r, d)...)
		}
	}
	if len(list) == 0 {
		list = append(list, t.unknown("", "no DUT of this run is meant"))
	}
	return list
}

// isFor reports whether a DUT is meant: by name, or any that is no reference and not the
// one whose figure is the limit.
func (t Threshold) isFor(d *record.DUT) bool {
	if len(t.Where.DUTs) > 0 {
		return names(t.Where.DUTs, d)
	}
	return !d.Reference && !t.isLimit(d)
}

// isLimit reports whether the limit is a figure of the DUT.
func (t Threshold) isLimit(d *record.DUT) bool {
	return t.Limit.Of != "" && names([]string{t.Limit.Of}, d)
}

func (t Threshold) checkDUT(r *record.Result, d *record.DUT) (list []record.Threshold) {
	other := t.other(r)
	sized := sizes(d) > 1
	for _, place := range t.places(d) {
		one := t.judge(place, other, r)
		one.DUT, one.Where = d.Label(), place.at.Words(sized)
		list = append(list, one)
	}
	switch {
	case len(list) > 0:
	case d.Error != "":
		list = append(list, t.unknown(d.Label(), d.Error))
	default:
		list = append(list, t.unknown(d.Label(), t.unmeasured(d)))
	}
	return list
}

// unmeasured says why there is no place to judge: no load was as high as the limit, or
// nothing has the figure at all.
func (t Threshold) unmeasured(d *record.DUT) string {
	highest, carried := 0.0, false
	for _, s := range t.Figure.Samples(d) {
		if low := t.Where.takes(s.Place) && s.Valid && t.Figure.Offered && s.Kind == record.KindLoad &&
			!t.asks(s.Place); low && s.Value > highest {
			highest, carried = s.Value, s.Carried()
		}
	}
	if highest == 0 {
		return "nothing was measured that has this figure"
	}
	write := func(v float64) string { return figure.Write(v, t.Figure.Unit) }
	if carried {
		return fmt.Sprintf("it is at least %s, which is all that was offered: raise loads to %s or more, or add max",
			write(highest), write(t.Limit.Plus))
	}
	return fmt.Sprintf("%s arrived at most, and no load was as high as the limit: raise loads to %s or "+
		"more, or add max", write(highest), write(t.Limit.Plus))
}

func (t Threshold) unknown(dut, why string) record.Threshold {
	one := t.record()
	one.DUT, one.Outcome, one.Why = dut, record.OutcomeCannotTell, why
	return one
}

func (t Threshold) record() record.Threshold {
	return record.Threshold{Expression: t.Text, Figure: t.Figure.Name, Unit: string(t.Figure.Unit)}
}

// other is the DUT whose figure is the limit; nil when there is none.
func (t Threshold) other(r *record.Result) *record.DUT {
	at := slices.IndexFunc(r.DUTs, func(d record.DUT) bool { return t.isLimit(&d) })
	if at < 0 {
		return nil
	}
	return &r.DUTs[at]
}

// place is what was measured at one place.
type place struct {
	at      figure.Place
	samples []figure.Sample
}

// places groups the samples that are meant, in the order of measurement.
func (t Threshold) places(d *record.DUT) (list []place) {
	for _, s := range t.Figure.Samples(d) {
		if !t.Where.takes(s.Place) || !t.asks(s.Place) {
			continue
		}
		at := slices.IndexFunc(list, func(p place) bool { return p.at == s.Place })
		if at < 0 {
			list, at = append(list, place{at: s.Place}), len(list)
		}
		list[at].samples = append(list[at].samples, s)
	}
	return list
}

// asks leaves out, where no load is named, places whose figure cannot keep the threshold
// whatever the DUT does: a rate above the load, latency and loss of an unpaced load.
func (t Threshold) asks(p figure.Place) bool {
	if len(t.Where.Loads) > 0 || len(t.Where.Kinds) > 0 {
		return true
	}
	unpaced := p.Kind == record.KindLoad && p.Load.Max()
	switch {
	case t.Figure.Unloaded && unpaced:
		return false
	case t.Figure.Offered && p.Kind != record.KindLoad:
		return false
	case t.Figure.Offered && t.Lower() && t.Limit.Of == "" && !unpaced:
		return p.Load.PPS == 0 || p.Load.PPS >= t.Limit.Plus
	}
	return true
}

func sizes(d *record.DUT) int {
	var all []string
	for i := range d.Trials {
		all = append(all, d.Trials[i].SizeName())
	}
	slices.Sort(all)
	return len(slices.Compact(all))
}

// Decided reports whether a failure stands, with so many repeats planned: all of them
// failed, or the first three.
func Decided(t record.Threshold, repeats int) bool {
	const enough = 3
	return t.Outcome == record.OutcomeFail && t.Repeats >= min(enough, repeats)
}

// Words is a threshold's line: "rx_pps >= 1M: builtin:xdp, uplink max".
func Words(t record.Threshold) string {
	text := t.Expression
	if t.DUT != "" {
		text += ": " + t.DUT
	}
	if t.Where != "" {
		text += ", " + t.Where
	}
	if t.Value != nil {
		text += fmt.Sprintf(": %s", figure.Write(*t.Value, figure.Unit(t.Unit)))
	}
	return text
}

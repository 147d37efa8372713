package view

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// FlowGroup is the repeats of one flow of a UPF.
type FlowGroup struct {
	record.AppKey
	UPF *UPF
	All []*record.AppFlow
	// Used are those that figures come from: the valid ones, or all of them when none is.
	Used []*record.AppFlow
}

// Applied reports whether the run has flows, and so no test packets.
func (v *Run) Applied() bool {
	return slices.ContainsFunc(v.UPFs, func(d *UPF) bool { return len(d.Flows) > 0 })
}

// Flows lists the flows of a kind: by what they are, in the order of the run, and then by
// UPF, those without a UPF first.
func (v *Run) Flows(kind string) (groups []*FlowGroup) {
	var keys []record.AppKey
	for _, d := range v.UPFs {
		for i := range d.Flows {
			if k := d.Flows[i].Key(); k.Kind == kind && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	for _, k := range keys {
		for _, d := range v.baselineFirst() {
			if g := d.FlowGroup(k); g != nil {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

// FlowGroups lists a UPF's flows of a kind, in the order of the run.
func (d *UPF) FlowGroups(kind string) (groups []*FlowGroup) {
	var keys []record.AppKey
	for i := range d.Flows {
		if k := d.Flows[i].Key(); k.Kind == kind && !slices.Contains(keys, k) {
			keys = append(keys, k)
			groups = append(groups, d.FlowGroup(k))
		}
	}
	return groups
}

// baselineFirst is the UPFs with those that are none before all others.
func (v *Run) baselineFirst() []*UPF {
	list := slices.Clone(v.UPFs)
	slices.SortStableFunc(list, func(a, b *UPF) int {
		switch {
		case a.Reference == b.Reference:
			return 0
		case a.Reference:
			return -1
		}
		return 1
	})
	return list
}

// FlowGroup is a UPF's flows of a key; nil: none.
func (d *UPF) FlowGroup(k record.AppKey) *FlowGroup {
	g := &FlowGroup{AppKey: k, UPF: d}
	for i := range d.Flows {
		f := &d.Flows[i]
		if f.Key() != k {
			continue
		}
		g.All = append(g.All, f)
		if f.Valid {
			g.Used = append(g.Used, f)
		}
	}
	if len(g.All) == 0 {
		return nil
	}
	if len(g.Used) == 0 {
		g.Used = g.All
	}
	return g
}

// Alone is the same flow with nothing beside it; nil where that was not measured.
func (g *FlowGroup) Alone() *FlowGroup {
	if g.Beside == "" {
		return nil
	}
	k := g.AppKey
	k.Beside = ""
	return g.UPF.FlowGroup(k)
}

// Valid reports whether figures come from valid flows.
func (g *FlowGroup) Valid() bool { return g.Used[0].Valid }

// Tone is that of its row.
func (g *FlowGroup) Tone() block.Tone {
	if !g.Valid() {
		return block.Bad
	}
	return g.UPF.Tone()
}

// Sample is a figure of the flows that count; NaN is left out.
func (g *FlowGroup) Sample(of func(*record.AppFlow) float64) (sample []float64) {
	for _, f := range g.Used {
		if x := of(f); !math.IsNaN(x) {
			sample = append(sample, x)
		}
	}
	return sample
}

// Mean is a figure's mean over the flows that count; NaN: it is not known.
func (g *FlowGroup) Mean(of func(*record.AppFlow) float64) float64 {
	m, _, _ := stats.MeanCI(g.Sample(of), 0.95)
	return m
}

// Cell is a figure's mean, and its interval of 95 % where it was measured at least three
// times, else the range.
func (g *FlowGroup) Cell(of func(*record.AppFlow) float64, write units.Writer) block.Cell {
	sample := g.Sample(of)
	if len(sample) == 0 {
		return block.T(units.None)
	}
	mean, lo, hi := stats.MeanCI(sample, 0.95)
	c := block.Cell{Text: write(mean)}
	if low, high := write(max(0, lo)), write(hi); low != high {
		c.Range = low + ".." + high
	}
	return c
}

// Limit names what limited the flows.
func (g *FlowGroup) Limit() block.Cell {
	var names []string
	for _, f := range g.Used {
		if name := limitWord(f.LimitedBy); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	c := block.Cell{Text: strings.Join(names, "/"), Tone: LimitTone(g.Used[0].LimitedBy)}
	if bad := len(g.All) - len(g.Used); !g.Valid() {
		c.Note, c.Tone = "not valid", block.Bad
	} else if bad > 0 {
		c.Note = fmt.Sprintf("%d of %d valid", len(g.Used), len(g.All))
	}
	return c
}

func limitWord(limit record.Limit) string {
	if limit == record.LimitDUT {
		return "UPF"
	}
	return string(units.OrNone(limit))
}

// Name is what the flow is: "TCP uplink, 2 UEs, 4 streams".
func (g *FlowGroup) Name() string { return FlowName(g.AppKey) }

// FlowName is what a flow is, in words.
func FlowName(k record.AppKey) string {
	var words []string
	switch k.Kind {
	case record.FlowPing:
		words = append(words, fmt.Sprintf("ping, %d bytes", k.Octets))
	case record.FlowHTTP:
		words = append(words, fmt.Sprintf("pages of %d kB", k.Octets/1000))
	case record.FlowVoice:
		words = append(words, "calls")
	case record.FlowXR:
		words = append(words, "XR")
	default:
		words = append(words, strings.ToUpper(k.Kind)+" "+string(k.Direction))
	}
	if k.OfferedBPS > 0 {
		words = append(words, bits(k.OfferedBPS))
	}
	if k.Kind == record.FlowUDP {
		words = append(words, fmt.Sprintf("%d bytes", k.Octets))
	}
	if k.UEs > 1 {
		words = append(words, units.Plural(k.UEs, "UE"))
	}
	if k.Streams > 1 {
		words = append(words, units.Plural(k.Streams, "stream"))
	}
	if k.Beside != "" {
		words = append(words, "during "+BesideName(k.Beside))
	}
	if k.Handover {
		words = append(words, "with a handover")
	}
	if k.Family != "" {
		words = append(words, "IPv6")
	}
	if k.Link != "" {
		words = append(words, "over "+k.Link)
	}
	return strings.Join(words, ", ")
}

// BesideName is what goes on beside a flow, in words.
func BesideName(beside string) string {
	kind, direction, _ := strings.Cut(beside, "-")
	return strings.ToUpper(kind) + " " + direction
}

// bits writes bits/s.
func bits(bps float64) string {
	if bps >= 1e9 {
		return units.Number(bps/1e9, "%.3g Gbit/s")
	}
	return units.Number(bps/1e6, "%.3g Mbit/s")
}

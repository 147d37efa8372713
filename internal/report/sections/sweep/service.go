package sweep

import (
	"fmt"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Service draws the delay at the UPF at the lowest load, where next to no packet waits
// for another: its service time.
func Service(v *view.Run) block.Section {
	f := block.Figure{ID: "service", Title: "Service time without queueing", Shape: block.XY, Follow: "y", Only: block.HTML,
		Caption: "The delay between the UPF's ports at the lowest load. Further left is faster; a steep line is a constant time."}
	one := block.View{}
	var says []string
	for _, direction := range v.Directions {
		p := block.Panel{Title: string(direction),
			X: block.Axis{Label: "delay at the UPF", Unit: block.Nanos, Scale: block.Log},
			Y: block.Axis{Label: "percentile", Scale: block.Rarity}}
		for _, s := range v.Sweeps() {
			if s.Direction != direction || s.UPF.Stress == nil {
				continue
			}
			for _, t := range s.UPF.Stress.ServiceTimes {
				if t.Direction != direction || t.Arrivals != s.Arrivals || t.Delays == nil || len(t.Delays.Buckets) < 2 {
					continue
				}
				p.Series = append(p.Series, block.Series{Name: s.UPF.Label, Color: s.UPF.Color(), Line: "solid",
					Data: view.Cumulative(t.Delays.Min, t.Delays.Buckets)})
				says = append(says, subject(s)+
					fmt.Sprintf("%s on average at %s, with a squared coefficient of variation of %.2g; constant "+
						"times have 0, exponential ones 1.",
						units.Time(t.MeanNS), units.Rate(t.LoadPPS), t.SCV))
			}
		}
		if len(p.Series) > 0 {
			one.Panels = append(one.Panels, p)
		}
	}
	one.Caption = sentences(says)
	f.Views = []block.View{one}
	return figure(f)
}

package sweep

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// carried is the loss up to which a load counts as carried.
const carried = 1e-4

// Throughput draws what arrived of what was offered.
func Throughput(v *view.Run) block.Section {
	return metric{id: "throughput-load", title: "Throughput over load", y: block.Axis{Label: "received", Unit: block.PPS}, of: view.RxPPS,
		model: func(load float64, p record.Predicted) float64 { return load * (1 - p.LossRatio) },
		rules: []block.Rule{{Diagonal: true}}, says: saysThroughput}.figure(v)
}

func saysThroughput(s view.Sweep, points []point) string {
	points = ofUPF(points)
	most, at := points[0], highestCarried(s)
	for _, p := range points {
		if p.Value > most.Value {
			most = p
		}
	}
	last := points[len(points)-1]
	switch {
	case at == last.pps:
		return fmt.Sprintf("all that was offered is carried, up to %s.", units.Rate(last.pps))
	case last.Value < 0.98*most.Value:
		return fmt.Sprintf("%s; most arrives of %s: %s, and %s of the highest load.", carriedText(at),
			units.Rate(most.pps), units.Rate(most.Value), units.Rate(last.Value))
	}
	return fmt.Sprintf("%s; of more, %s at most arrives.", carriedText(at), units.Rate(most.Value))
}

// highestCarried is the highest load up to which no load lost more than a packet in
// ten thousand; 0: the lowest did.
func highestCarried(s view.Sweep) (pps float64) {
	for _, p := range known(s, view.Loss) {
		if p.hosts {
			continue
		}
		if p.Value > carried {
			break
		}
		pps = p.pps
	}
	return pps
}

// ofUPF are the points that the machine did not limit; all, where there is no other.
func ofUPF(points []point) []point {
	own := slices.DeleteFunc(slices.Clone(points), func(p point) bool { return p.hosts })
	if len(own) == 0 {
		return points
	}
	return own
}

func carriedText(pps float64) string {
	if pps == 0 {
		return "packets are lost at every load"
	}
	return "all is carried up to " + units.Rate(pps)
}

// Loss draws the frame loss ratio.
func Loss(v *view.Run) block.Section {
	return metric{id: "loss-load", title: "Drop rate over load", y: block.Axis{Label: "frame loss ratio", Unit: block.Ratio}, of: view.Loss,
		model: func(_ float64, p record.Predicted) float64 { return p.LossRatio }, says: saysLoss}.figure(v)
}

func saysLoss(s view.Sweep, points []point) string {
	points = ofUPF(points)
	last := points[len(points)-1]
	at := highestCarried(s)
	if at == last.pps {
		return "no load loses more than a packet in ten thousand."
	}
	first := points[0]
	for _, p := range points {
		if p.Value > carried {
			first = p
			break
		}
	}
	if first.pps == last.pps {
		return fmt.Sprintf("loss begins at the highest load, %s: %s.", units.Rate(last.pps), units.Loss(last.Value))
	}
	return fmt.Sprintf("loss begins at %s (%s) and reaches %s at %s.", units.Rate(first.pps), units.Loss(first.Value),
		units.Loss(last.Value), units.Rate(last.pps))
}

package report

// lossPoint is one load of a frame loss curve as its chart draws it.
type lossPoint struct {
	DUT       int    `json:"dut"`
	Direction string `json:"direction"`
	Offered   figure `json:"offered"` // packets/s
	Loss      figure `json:"loss"`    // 0..1
	Limited   string `json:"limited"`
	Bench     bool   `json:"bench"` // the bench did not reach the load: the loss is at most this
}

// lossPoints are those of all frame loss curves.
func (v view) lossPoints() (points []lossPoint) {
	for _, d := range v.DUTs {
		for _, s := range only(d.Others, methodLossCurve) {
			for _, p := range s.Curve {
				points = append(points, lossPoint{DUT: d.Index, Direction: string(s.Direction), Offered: rounded(p.PPS), Loss: figure(p.LossRatio),
					Limited: orNone(p.LimitedBy), Bench: p.Bench})
			}
		}
	}
	return points
}

package report

// curvePoint is the latency of one trial as the chart of latency against load
// draws it, ns.
type curvePoint struct {
	DUT       int     `json:"dut"`
	Direction string  `json:"direction"`
	Load      string  `json:"load"`
	Offered   figure  `json:"offered"` // packets/s
	P50       *figure `json:"p50"`
	P99       *figure `json:"p99"`
	P999      *figure `json:"p999"`
	Loss      string  `json:"loss"`
	Limited   string  `json:"limited"`
	Valid     bool    `json:"valid"`
}

// curvePoints are those of DUTs that have latencies at several loads.
func (v view) curvePoints() []curvePoint {
	var points []curvePoint
	for _, d := range v.DUTs {
		for _, direction := range v.Directions {
			for _, r := range v.curveRows(d, direction) {
				points = append(points, newCurvePoint(d, r))
			}
		}
	}
	return points
}

func newCurvePoint(d dutView, r *row) curvePoint {
	g := r.group
	return curvePoint{
		DUT: d.Index, Direction: r.Direction, Load: r.Load, Offered: rounded(r.rate()), Loss: r.Loss.Text, Limited: r.Limited, Valid: r.Valid,
		P50: known(g.latency(latP50).Median), P99: known(g.latency(latP99).Median), P999: known(g.latency(latP999).Median),
	}
}

package report

// sizePoint is the rate of a DUT in a direction with one size.
type sizePoint struct {
	DUT       int    `json:"dut"`
	Direction string `json:"direction"`
	Size      string `json:"size"`
	Bytes     int    `json:"bytes"` // of the frame as sent, mean
	Mixed     bool   `json:"mixed"`
	PPS       figure `json:"pps"`
	BPS       figure `json:"bps"`
	Bound     bool   `json:"bound"`
	Note      string `json:"note"`
}

// sizePoints are the rates over size: non-drop rates where they were searched,
// else the highest received.
func (v view) sizePoints() (points []sizePoint) {
	for _, one := range v.Sizes {
		for _, h := range one.headlines() {
			for _, f := range h.Figures {
				if p, known := one.sizePoint(h.DUT, f); known {
					points = append(points, p)
				}
			}
		}
	}
	return points
}

func (v view) sizePoint(d dutView, f figures) (p sizePoint, known bool) {
	t := v.anyTrial(f.Direction)
	if t == nil {
		return p, false
	}
	_, _, note := f.Rate()
	p = sizePoint{DUT: d.Index, Direction: f.Direction, Size: v.Size, Bytes: t.FrameBytes, Mixed: t.Mixed, Note: note}
	if f.NDR.Searched {
		p.PPS, p.BPS, p.Bound = rounded(f.NDR.PPS), rounded(f.NDR.PPS*float64(8*t.FrameBytes)), f.NDR.Bound
		return p, f.NDR.Known
	}
	p.PPS, p.BPS, p.Bound = rounded(f.pps), rounded(f.bps), f.Bound && f.Note != limitNote(false, "none")
	return p, f.Known
}

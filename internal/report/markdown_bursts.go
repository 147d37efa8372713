package report

import "fmt"

// lossCurves are the frame loss curves, a table for each direction.
func (m *markdown) lossCurves(v view) {
	if !v.HasCurves {
		return
	}
	m.heading("Frame loss over load")
	m.linef("From the highest load down in steps; the load is in %% of the highest. \"≤\": the bench did not reach the load.\n")
	var rows [][]string
	for _, direction := range v.Directions {
		for _, s := range v.others(methodLossCurve, direction) {
			for _, c := range s.CurveCells() {
				rows = append(rows, []string{escape(s.Name()), escape(direction), c.Load, c.Offered, c.Loss, escape(c.Limited)})
			}
		}
	}
	m.table([]string{"UPF", "Direction", "Load", "Offered<br>(kpps)", "Frame loss<br>ratio", "Limited by"}, rows)
	m.otherDetails(v, methodLossCurve)
}

// bursts is the longest bursts without loss, and the buffers behind them.
func (m *markdown) bursts(v view) {
	if !v.HasBursts {
		return
	}
	m.heading("Back-to-back frames")
	m.linef("The longest burst without loss, on average over the searches, and the buffer behind it: what was sent less what the UPF")
	m.linef("forwards meanwhile. Times are those of the burst as it was sent, in µs (RFC 9004 clause 6.4).\n")
	var rows [][]string
	for _, direction := range v.Directions {
		for _, s := range v.others(methodBackToBack, direction) {
			f := s.BurstFigures()
			rows = append(rows, []string{escape(s.Name()), escape(direction), f.Average, f.Span, fmt.Sprint(s.BurstSearches()), f.Sent, f.Forwards,
				f.Implied, f.Corrected, f.Buffer, escape(s.LimitWord())})
		}
	}
	m.table([]string{"UPF", "Direction", "Longest burst<br>(packets)", "Range", "Searches", "Sent at<br>(kpps)", "Forwards<br>(kpps)",
		"Implied<br>buffer time", "Corrected<br>buffer time", "Buffer<br>(packets)", "Limited by"}, rows)
	m.otherDetails(v, methodBackToBack)
}

func (m *markdown) otherDetails(v view, method string) {
	m.linef("")
	for _, direction := range v.Directions {
		for _, s := range v.others(method, direction) {
			m.linef("- %s, %s: %s.", escape(direction), escape(s.About()), escape(s.Named()))
			if why := s.Doubts(); why != "" {
				m.linef("  - **not valid**: %s", escape(why))
			}
		}
	}
}

package scenario

import "github.com/upflab/upflab/internal/record"

// Until ends a run when it knows enough, in place of after a number of repeats.
type Until struct {
	// Repeats go on until each headline figure of each UPF is known to within this part of itself, of
	// this run, with 95 % confidence. 0: not asked.
	Precision Ratio `yaml:"precision" range:"0..0.5" example:"0.02"`
	// Repeats go on until it is decided whether the second of two UPFs, or builds, is worse than the first
	// by more than this ratio. 0: not asked.
	Decided Ratio `yaml:"decided" range:"0..0.5" example:"0.03"`
	// How long the run may take: no repeat begins that would end later.
	AtMost Duration `yaml:"at_most" range:"1s..24h" example:"20m"`
	// The figures that are to be known, or to decide: latencies are those of the latency trials where they
	// are to be known. Empty: rate, CPU time, and latency (until.precision) or loss (until.decided).
	Figures []string `yaml:"figures" plural:"figures" enum:"rx_pps,frame_loss_ratio,latency.p50,latency.p99,cpu_ns_per_packet" items:"..5" unique:"true" example:"rx_pps"`
}

// Asked reports whether the run itself decides how many repeats there are.
func (u Until) Asked() bool { return u.Precision > 0 || u.Decided > 0 }

// Names are the figures, with what is meant by none.
func (u Until) Names() []string {
	switch {
	case len(u.Figures) > 0:
		return u.Figures
	case u.Decided > 0:
		return []string{"rx_pps", "frame_loss_ratio", "cpu_ns_per_packet"}
	}
	return []string{"rx_pps", "latency.p50", "latency.p99", "cpu_ns_per_packet"}
}

// checkUntil refuses what cannot be known by repeats.
func checkUntil(s *Scenario, r *report) {
	if !s.Until.Asked() {
		return
	}
	key := "until.precision"
	if s.Until.Decided > 0 {
		key = "until.decided"
	}
	for _, x := range []struct {
		set     bool
		is, key string
	}{
		{s.OfCases(), "is of kind " + string(s.Kind), "kind"},
		{s.Search.Preset != SearchOff, "has a search", "search.preset"},
		{s.Soak.Asked(), "has a soak", "soak.share"},
		{s.Stress.Asked(), "has the stress study", "stress.arrivals"},
		{s.Control.Asked(), "has the control-plane study", "control.procedures"},
		{len(s.Flows) > 0 || s.RAN == RANExternal, "has applications at UEs", "flows"},
	} {
		if x.set {
			r.blame("%s is for loads and latency trials, which repeats make surer, and the scenario %s; leave out %s or %s",
				[]any{key, x.is, x.key, key}, key, x.key)
			return
		}
	}
	switch {
	case s.Until.Precision > 0 && s.Until.Decided > 0:
		r.blame("until.precision asks for figures and until.decided for a comparison, and each would end the run; keep one",
			nil, "until.decided", "until.precision")
		return
	case s.Repeats != 1:
		r.blame("repeats is %d, but %s lets the run decide how many there are; leave repeats out", []any{s.Repeats, key}, "repeats", key)
		return
	}
	checkUntilFigures(s, r)
}

// checkUntilFigures refuses a precision that a figure does not have.
func checkUntilFigures(s *Scenario, r *report) {
	u := s.Until
	if u.Precision == 0 {
		return
	}
	for _, name := range u.Names() {
		latency := name == "latency.p50" || name == "latency.p99"
		switch {
		case name == "frame_loss_ratio":
			r.blame("a loss near 0 is known to no part of itself; leave frame_loss_ratio out of until.figures, or use a threshold", nil, "until.figures")
			return
		case latency && float64(u.Precision) <= record.LatencyBucket:
			r.blame("until.precision is %.3g %%, and latencies are known to %.2g %% at best, the width of a histogram's bucket; set it higher, "+
				"or name until.figures without %s", []any{100 * float64(u.Precision), 100 * record.LatencyBucket, name}, "until.precision", "until.figures")
			return
		}
	}
}

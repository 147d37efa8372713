package report

import "strings"

// goalFigure is the rate of one goal over the repeats of a search, for a
// headline.
type goalFigure struct {
	Title    string
	Searched bool // a search looked for it
	Known    bool // a rate can be given
	Mpps     cell
	Gbps     cell // as sent
	PPS      float64
	Bound    bool
	Note     string // what the rate is, or "not valid"
	Why      string // reasons against it, in full
}

// goalFigure sums up a goal of a direction: the median of the repeats that
// stand, else of those that are at least lower bounds.
func (d dutView) goalFigure(direction, goal string) goalFigure {
	all := d.goals(direction, goal)
	none := unknown().cell(mpps)
	f := goalFigure{Title: goalTitle(goal), Searched: len(all) > 0, Mpps: none, Gbps: none, Note: "not searched"}
	if !f.Searched {
		return f
	}
	used := withStanding(all, stands)
	if len(used) == 0 {
		used = withStanding(all, standsAsBound)
	}
	if len(used) == 0 {
		f.Note, f.Why, f.Mpps.Text = "not valid", all[0].Why(), "not valid"
		return f
	}
	f.Known, f.Why = true, used[0].Why()
	f.fill(used, d.Reference)
	return f
}

func (f *goalFigure) fill(used []goalView, reference bool) {
	var pps, bps []float64
	for _, g := range used {
		pps, bps = append(pps, g.LowerPPS), append(bps, g.bps())
		f.Bound = f.Bound || g.Bound
	}
	f.PPS = statOf(pps).Median
	f.Mpps, f.Gbps = statOf(pps).cell(fineMpps), statOf(bps).cell(gbps)
	f.Mpps.Text, f.Gbps.Text = bound(f.Bound, f.Mpps.Text), bound(f.Bound, f.Gbps.Text)
	f.Note = used[0].Note()
	if used[0].Standing == stands {
		f.Note = limitNote(reference, limitOf(used))
	}
}

// shareOfNDR is how a load that is a share of the non-drop rate ends.
const shareOfNDR = " % of NDR"

// shareOfThroughput is how one ends that is a share of throughput.
const shareOfThroughput = " % of throughput"

// doubt marks a load that is a share of a rate which is not valid.
func (r *row) doubt(d dutView) {
	if strings.HasSuffix(r.Load, shareOfNDR) && !d.goalFigure(r.Direction, goalNDR).Known {
		r.Doubtful, r.Offered.Note = true, "NDR not valid"
	}
}

// goals lists the results for a goal in a direction, one for each repeat.
func (d dutView) goals(direction, goal string) []goalView {
	var found []goalView
	for _, s := range d.Found {
		for _, g := range s.Goals {
			if string(s.Direction) == direction && string(g.Name) == goal {
				found = append(found, g)
			}
		}
	}
	return found
}

func withStanding(goals []goalView, want standing) []goalView {
	var found []goalView
	for _, g := range goals {
		if g.Standing == want {
			found = append(found, g)
		}
	}
	return found
}

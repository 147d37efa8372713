package scenario

import "github.com/upflab/upflab/internal/scenario/document"

// checkUnused blames settings of a part of the run that is not asked for: they would be taken, and do
// nothing. Those that say what a scenario has anyway are left alone, since a file may list
// everything, and so are those weaker than the key that leaves the part out, as the targets of a
// built-in study whose arrivals --set takes away.
func checkUnused(s *Scenario, r *report) {
	usual, err := DefaultTree()
	if err != nil {
		return // the built-in file is tested
	}
	for _, part := range []struct {
		asked        bool
		name, by, do string
	}{
		{s.Stress.Asked(), "stress", "arrivals", "set stress.arrivals to constant, poisson or both, or run the scenario stress"},
		{s.Soak.Asked(), "soak", "share", "set soak.share, or run the scenario soak"},
		{s.Until.Asked(), "until", "precision", "set until.precision or until.decided, or use --precision or --until-decided"},
		{s.Control.Asked(), "control", "procedures", "set control.procedures, or run the scenario control-plane"},
	} {
		section := r.root.Get(part.name)
		if part.asked || section == nil {
			continue
		}
		off := document.RankDefaults
		if n := section.Get(part.by); n != nil {
			off = n.At.Source.Rank
		}
		for _, f := range section.Fields {
			key := part.name + "." + f.Key
			if at := f.Value.At; f.Key != part.by && at.Source.Rank > document.RankDefaults && at.Source.Rank >= off && !usual.Find(key).Says(f.Value) {
				r.problems = append(r.problems, document.ProblemAt(at, key, "%s changes nothing, since the scenario has no %s; %s",
					key, part.name, part.do))
			}
		}
	}
}

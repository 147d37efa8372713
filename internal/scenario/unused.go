package scenario

// unused blames settings of a part of the run that is not asked for: they would be taken, and do
// nothing. Those that say what a scenario has anyway are left alone, since a file may list
// everything, and so are those weaker than the key that leaves the part out, as the targets of a
// built-in study whose arrivals --set takes away.
func (c *checker) unused() {
	usual, err := defaultTree()
	if err != nil {
		return // the built-in file is tested
	}
	s := c.s
	for _, part := range []struct {
		asked        bool
		name, by, do string
	}{
		{s.Stress.Asked(), "stress", "arrivals", "set stress.arrivals to constant, poisson or both, or run the scenario stress"},
		{s.Soak.Asked(), "soak", "share", "set soak.share, or run the scenario soak"},
		{s.Until.Asked(), "until", "precision", "set until.precision or until.decided, or use --precision or --until-decided"},
		{s.Control.Asked(), "control", "procedures", "set control.procedures, or run the scenario control-plane"},
	} {
		section := c.root.get(part.name)
		if part.asked || section == nil {
			continue
		}
		off := rankDefaults
		if n := section.get(part.by); n != nil {
			off = n.at.src.rank
		}
		for _, f := range section.fields {
			key := part.name + "." + f.key
			if at := f.val.at; f.key != part.by && at.src.rank > rankDefaults && at.src.rank >= off && !usual.find(key).says(f.val) {
				c.problems = append(c.problems, problemAt(at, key, "%s changes nothing, since the scenario has no %s; %s",
					key, part.name, part.do))
			}
		}
	}
}

// says reports whether a node has the value of another one; nil: it has none.
func (n *node) says(other *node) bool { return n != nil && n.short() == other.short() }

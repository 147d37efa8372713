package searches

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// stepsMax bounds the trials that are drawn of one search, and allStepsMax those of
// all together, about 170 bytes each in the page.
const (
	stepsMax    = 200
	allStepsMax = 800
	stepsLeast  = 40
)

// outcome is how a trial of a search ended.
type outcome int

const (
	tooMuch outcome = iota
	withinGoal
	nothingLost
	setAside
)

// Steps draws searches trial by trial.
func Steps(v *view.Run) block.Section {
	f := block.Figure{ID: "search", Title: "The search, trial by trial", Shape: block.XY, ViewOf: "Which search", Only: block.HTML,
		Caption: "Upright lines are the bounds between which a rate was found: solid what was carried, dashed " +
			"what was not. The level line is the loss " +
			"that the partial drop rate allows.",
		Legend: []block.Sample{{Text: "looked at again at the end", Color: "good", Mark: "circle", Style: "hollow"}}}
	most := stepsEach(v)
	for _, name := range searchNames(v) {
		one := block.View{Name: name}
		for _, direction := range v.Directions {
			p := block.Panel{Title: string(direction)}
			for _, s := range v.RateSearches(direction) {
				if viewName(s) == name {
					p = panel(s, most)
				}
			}
			one.Panels = append(one.Panels, p)
		}
		f.Views = append(f.Views, one)
	}
	if f.Empty() {
		return block.Section{}
	}
	return block.Section{Blocks: []block.Block{f}}
}

func searchNames(v *view.Run) (names []string) {
	seen := map[string]bool{}
	for _, direction := range v.Directions {
		for _, s := range v.RateSearches(direction) {
			if name := viewName(s); !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	return names
}

// viewName names a search among those of a direction.
func viewName(s *view.Search) string {
	if s.Method == record.MethodMLRsearch {
		return s.Name()
	}
	return s.Name() + ", " + view.MethodName(s.Method)
}

// stepsEach is how many trials of a search are drawn.
func stepsEach(v *view.Run) int {
	searches := 0
	for _, d := range v.UPFs {
		searches += len(d.Rates)
	}
	return min(stepsMax, max(stepsLeast, v.Points(allStepsMax)/max(1, searches)))
}

func panel(s *view.Search, most int) block.Panel {
	p := block.Panel{Title: string(s.Direction), X: block.Axis{Label: "offered load", Unit: block.PPS, Scale: block.Log},
		Y:   block.Axis{Label: "frame loss", Unit: block.Ratio, Scale: block.LogOrZero},
		Tip: []block.Field{{Name: "duration", Unit: block.Seconds}, {Name: "phase"}, {Name: "sent"}, {Name: "lost"}, {Name: "limited by"}}}
	steps := thinSteps(s.Trials, most)
	for o, style := range []block.Series{
		tooMuch:     {Name: "too much lost", Color: "bad", Mark: "square"},
		withinGoal:  {Name: "within the partial drop rate's goal", Color: "warn", Mark: "triangle"},
		nothingLost: {Name: "nothing lost", Color: "good", Mark: "circle"},
		setAside:    {Name: "set aside", Color: "muted", Mark: "cross"},
	} {
		for _, t := range steps {
			if outcomeOf(t, s.Goals) == outcome(o) && t.PPS > 0 {
				style.Data = append(style.Data, stepPoint(t))
			}
		}
		if len(style.Data) > 0 {
			p.Series = append(p.Series, style)
		}
	}
	p.Rules, p.Near = goalRules(s)
	return p
}

func outcomeOf(t record.SearchTrial, goals []view.Goal) outcome {
	allowed := 0.0
	for _, g := range goals {
		allowed = max(allowed, g.LossRatio)
	}
	switch {
	case !t.Used:
		return setAside
	case t.Lost == 0 && t.Sent > 0:
		return nothingLost
	case lossOf(t) <= allowed:
		return withinGoal
	}
	return tooMuch
}

func lossOf(t record.SearchTrial) float64 {
	if t.Sent == 0 {
		return 1
	}
	return float64(t.Lost) / float64(t.Sent)
}

func stepPoint(t record.SearchTrial) block.Point {
	p := block.Point{X: math.Round(t.PPS), Y: lossOf(t),
		More: []any{t.DurationS, t.Phase, float64(t.Sent), float64(t.Lost), units.OrNone(string(t.LimitedBy))}}
	if t.Phase == "verify" {
		p.Style = "hollow"
	}
	return p
}

// goalRules mark the bounds of each goal, and the range around them.
func goalRules(s *view.Search) (rules []block.Rule, near []block.Num) {
	low, high := math.Inf(1), 0.0
	for i, g := range s.Goals {
		text := g.Title() + ": " + g.Rate(units.Rate)
		bad := g.Worth == view.NoRate
		for _, bound := range []struct {
			pps    float64
			dashed bool
		}{{g.LowerPPS, false}, {g.UpperPPS, true}} {
			if bound.pps > 0 && !math.IsInf(bound.pps, 1) {
				rules = append(rules, block.Rule{X: block.Known(math.Round(bound.pps)), Text: text, Row: i + 1, Dashed: bound.dashed, Bad: bad})
				low, high, text = min(low, bound.pps), max(high, bound.pps), ""
			}
		}
		if g.LossRatio > 0 {
			rules = append(rules, block.Rule{Y: block.Known(g.LossRatio), Dashed: true})
		}
	}
	if high > 0 {
		near = []block.Num{block.Num(math.Round(low * 0.93)), block.Num(math.Round(high * 1.07))}
	}
	return rules, near
}

// thinSteps takes all trials, or evenly about most of them and the last.
func thinSteps(trials []record.SearchTrial, most int) (some []record.SearchTrial) {
	step := max(1, (len(trials)+most-1)/most)
	for i, t := range trials {
		if i%step == 0 || i == len(trials)-1 {
			some = append(some, t)
		}
	}
	return some
}

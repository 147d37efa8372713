package record

import "testing"

func TestTells(t *testing.T) {
	valid := SearchGoal{LowerPPS: 5, UpperPPS: 6, Judgement: Judgement{Valid: true}}
	for _, c := range []struct {
		name  string
		goals []SearchGoal
		want  bool
	}{
		{"rates", []SearchGoal{valid, valid}, true},
		{"one that changed", []SearchGoal{valid, {LowerPPS: 5, UpperPPS: 6, Judgement: Judgement{ReasonCodes: []string{"unstable"}}}}, false},
		{"the highest load", []SearchGoal{{LowerPPS: 5, Judgement: Judgement{ReasonCodes: []string{"no_upper_bound"}}}}, true},
		{"the generator's limit", []SearchGoal{{LowerPPS: 5, UpperPPS: 6, Judgement: Judgement{ReasonCodes: []string{"bench_limit"}}}}, true},
		{"not even the lowest load", []SearchGoal{{UpperPPS: 6, Judgement: Judgement{ReasonCodes: []string{"bench_limit"}}}}, false},
		{"no goals", nil, true},
	} {
		if got := (&Search{Goals: c.goals}).Found(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

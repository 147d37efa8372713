package studies

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/record/published"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// A row of a study is called repeated where a report sets a figure of the command's run beside it, and
// in no other place: the data, from which docs/studies is written, and `report --published` say the same.
func TestRepeatsAgreeWithTheReport(t *testing.T) {
	all, err := published.Studies()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		s := &all[i]
		for j := range s.Measurements {
			m := &s.Measurements[j]
			r := s.Repeat(m)
			name := strings.Join([]string{s.Source.Key, m.DUT, m.Mode, m.Kind, m.Direction}, " ")
			switch scenario, duts := asked(r.Command); {
			case r.How == published.NotAt:
			case m.Kind == published.KindGoodput || m.Kind == published.KindResource && scenario != "":
				if scenario != s.Scenario && !alone(m) {
					t.Errorf("%s: the command is of %q, and the study's scenario is %q", name, scenario, s.Scenario)
				}
				if (r.How == published.Repeated) != alone(m) {
					t.Errorf("%s is called %s: behind a RAN all is in part, and without a UPF there is none", name, r.How)
				}
			default:
				v := view.New(run(s, m, duts))
				beside := slices.ContainsFunc(match(v, s).Pairs, func(p pair) bool { return p.Theirs == m })
				if beside != (r.How == published.Repeated) {
					t.Errorf("%s is called %s, and the report has a figure beside it: %v", name, r.How, beside)
				}
			}
		}
	}
}

// asked are the scenario and the DUTs of a command.
func asked(command string) (scenario string, duts []string) {
	words := strings.Fields(strings.TrimPrefix(command, "upflab run"))
	for i, w := range words {
		switch {
		case i == 0 && !strings.HasPrefix(w, "--"):
			scenario = w
		case i > 0 && words[i-1] == "--dut":
			duts = append(duts, w)
		}
	}
	return scenario, duts
}

// run is a result of these DUTs with a trial at the load of a measurement.
func run(s *published.Study, m *published.Measurement, duts []string) *record.Result {
	trial := record.Trial{
		Kind: kindOf(m), Direction: record.Direction(m.Direction),
		Load:       record.Load{PPS: max(m.OfferedPPS, 6400)},
		PacketSize: record.PacketSize{PayloadBytes: s.Conditions.PayloadBytes}, Sessions: 1,
		Judgement: record.Judgement{Valid: true, LimitedBy: "none"},
	}
	if m.OfferedPPS > 0 {
		trial.Load.PPS = m.OfferedPPS
	}
	r := &record.Result{}
	for _, d := range duts {
		name, mode, _ := strings.Cut(d, ":")
		r.DUTs = append(r.DUTs, record.DUT{Name: name, Mode: mode, Trials: []record.Trial{trial}})
	}
	return r
}

// The report counts as README and docs/studies do, and has a line for each row of the UPFs that ran.
func TestRepeatsOfAStudy(t *testing.T) {
	all, err := published.Studies()
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		s := &all[i]
		v := &record.Result{}
		for j := range s.Measurements {
			v.DUTs = append(v.DUTs, record.DUT{Name: s.Measurements[j].Driver, Mode: s.Measurements[j].Mode})
		}
		got := extent(view.New(v), s)
		table := got.Blocks[0].(block.Table)
		if len(table.Rows) != len(s.Measurements) {
			t.Errorf("%s: %d lines for %d rows", s.Source.Key, len(table.Rows), len(s.Measurements))
		}
		for how, word := range map[string]string{published.Repeated: "repeats ", published.InPart: "and "} {
			n := 0
			for _, r := range table.Rows {
				if r.Cells[3].Text == how {
					n++
				}
			}
			if !strings.Contains(got.Title, fmt.Sprint(word, n)) {
				t.Errorf("%s: %q, and %d lines say %s", s.Source.Key, got.Title, n, how)
			}
		}
	}
}

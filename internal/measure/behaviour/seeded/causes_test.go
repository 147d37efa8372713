package seeded

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/measure/behaviour/causes"
	"github.com/upflab/upflab/internal/record"
)

var allCauses = flag.Bool("all-causes", false, "faults with many findings, too, which take minutes")

// TestFaultsAreOneCause: the findings of one fault, in all the cases that ask for the same, have one
// cause. Those of rates, which take seconds each, are not run again here. With -short each fourth fault
// is taken.
func TestFaultsAreOneCause(t *testing.T) {
	t.Parallel()
	for i, f := range Faults() {
		if testing.Short() && i%4 != 0 {
			continue
		}
		rows := append([]string{f.Row}, f.Also...)
		rows = slices.DeleteFunc(rows, func(id string) bool { return strings.HasPrefix(id, "qer.mbr") || id == "qer.gbr" })
		if len(rows) < 2 || len(rows) > 5 && !*allCauses {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			b := open(t, f)
			var list []record.Case
			for _, id := range inOrder(rows) {
				list = append(list, run(t, b, id))
			}
			found := causes.Of(list)
			for _, c := range found {
				t.Logf("%s (%s) explains %v", c.Case, c.Symptom, c.Explains)
			}
			if len(found) != 1 {
				t.Errorf("%d causes, want 1", len(found))
				for _, c := range list {
					t.Logf("%s %s %q: %s: %s", c.ID, c.Verdict, c.Symptom, c.Expected, c.Observed)
				}
				return
			}
			if found[0].Case != f.Row && !slices.Contains(found[0].Explains, f.Row) {
				t.Errorf("%s is not among its findings", f.Row)
			}
		})
	}
}

// inOrder are cases in the order in which a run has them.
func inOrder(ids []string) (list []string) {
	for _, c := range cases.All() {
		if slices.Contains(ids, c.ID) {
			list = append(list, c.ID)
		}
	}
	return list
}

// TestOneChecksumIsOneCause: a UPF that zeroes the checksum of each packet has scores of findings, and
// one cause, which names it.
func TestOneChecksumIsOneCause(t *testing.T) {
	t.Parallel()
	all := Faults()
	n := slices.IndexFunc(all, func(f Fault) bool { return f.Row == "ip.checksum" })
	b := open(t, all[n])
	var list []record.Case
	groups, err := cases.Select([]string{"pdr", "far", "qer.qfi", "qer.gate", "ip", "session.modify", "session.many", "gtpu", "urr.volume"})
	if err != nil {
		t.Fatal(err)
	}
	bad := 0
	for i := range groups {
		row := run(t, b, groups[i].ID)
		if list = append(list, row); row.Verdict.Bad() {
			bad++
		}
	}
	found := causes.Of(list)
	t.Logf("%d findings: %+v", bad, found)
	if bad < 60 || found[0].Case != "ip.checksum" &&
		!slices.ContainsFunc(found,
			func(c record.Cause) bool { return c.Case == "ip.checksum" && len(c.Explains) > 50 }) {
		t.Errorf("%d findings, %d causes", bad, len(found))
	}
	for _, c := range found {
		if c.Case != "ip.checksum" {
			t.Errorf("a second cause: %+v", c)
		}
	}
}

// TestFaultIsOneCauseOfARun: a whole run of all cases, but for those of rates, gives each of the faults that show in many
// one cause, which is the case that names it.
func TestFaultIsOneCauseOfARun(t *testing.T) {
	if !*allCauses {
		t.Skip("it takes minutes: -all-causes runs it")
	}
	t.Parallel()
	for i, f := range pervading() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			list := runAll(t, i)
			found := causes.Of(list)
			if len(found) == 1 && found[0].Case == f.Row {
				return
			}
			t.Errorf("%d causes, want %s", len(found), f.Row)
			for _, c := range found {
				t.Logf("%s (%s) explains %v", c.Case, c.Symptom, c.Explains)
			}
			for _, c := range list {
				if c.Verdict.Bad() {
					t.Logf("%s %s %q: %s: %s", c.ID, c.Verdict, c.Symptom, c.Expected, c.Observed)
				}
			}
		})
	}
}

// pervading are faults that show in many cases.
func pervading() []Fault { return slices.Concat(steady(), framed(), timed(), misnamed()) }

// runAll runs all cases, but for those of rates, against the n-th of pervading: some at the same time, each with a UPF of
// its own.
func runAll(t *testing.T, n int) (list []record.Case) {
	const parts = 16
	all := slices.DeleteFunc(cases.All(), func(c cases.Case) bool { return strings.HasPrefix(c.ID, "qer.mbr") || c.ID == "qer.gbr" })
	list = make([]record.Case, len(all))
	t.Run("cases", func(t *testing.T) {
		for part := range parts {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				b := open(t, pervading()[n])
				for i := part; i < len(all); i += parts {
					list[i] = run(t, b, all[i].ID)
				}
			})
		}
	})
	return list
}

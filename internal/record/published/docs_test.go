package published

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/studies and docs/reference/studies anew")

// TestDocs: the tables of docs/studies and docs/reference/studies are those of the data.
func TestDocs(t *testing.T) {
	all, err := Studies()
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "docs/studies/README.md", counts(all))
	generated(t, "README.md", sentence(all)+"\n")
	for _, s := range all {
		repeats := repeatTable(&s)
		generated(t, "docs/reference/studies/"+s.Source.Key+".md", tables(&s)+repeats)
	}
}

// generated holds the part of a page between the marks to the data, or writes it.
func generated(t *testing.T, page, want string) {
	t.Helper()
	path := filepath.Join("../../..", page)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
		return
	}
	const begin, end = "<!-- published: from the data, go test ./internal/record/published -update -->\n", "<!-- end -->"
	before, rest, found := strings.Cut(string(text), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Errorf("%s lacks the marks %q and %q", page, begin, end)
		return
	}
	want = before + begin + want + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("%s differs from the data: run go test ./internal/record/published -update", page)
	}
}

// sentence says how many rows of how many are repeated.
func sentence(all []Study) string {
	repeated, part, not := Count(all, Repeated), Count(all, InPart), Count(all, NotAt)
	return fmt.Sprintf("Of %d rows that five studies published, upflab repeats %d, and %d in part; %d it does not.",
		repeated+part+not, repeated, part, not)
}

// counts is the table of all studies.
func counts(all []Study) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n\n| Study | Rows | Repeated | In part | Not |\n| --- | ---: | ---: | ---: | ---: |\n", sentence(all))
	for i := range all {
		one := all[i : i+1]
		fmt.Fprintf(&b, "| [%s](%s.md) | %d | %d | %d | %d |\n", all[i].Source.Title, all[i].Source.Key, len(all[i].Measurements),
			Count(one, Repeated), Count(one, InPart), Count(one, NotAt))
	}
	return b.String() + "\n"
}

// repeatTable has a line for each row of the study's tables: whether upflab repeats it, and beside which figure.
func repeatTable(s *Study) string {
	var b strings.Builder
	var commands []string
	b.WriteString("What upflab repeats of each row:\n\n| UPF | Direction | What | Published | Repeated | Ours | By | What differs, or why not |\n|" +
		strings.Repeat(" --- |", 8) + "\n")
	for i := range s.Measurements {
		m := &s.Measurements[i]
		r, by := s.Repeat(m), ""
		if r.Command != "" {
			if !slices.Contains(commands, r.Command) {
				commands = append(commands, r.Command)
			}
			by = string(rune('A' + slices.Index(commands, r.Command)))
		}
		f := m.Figures[shown(m)]
		what := strings.Trim(m.Kind+", "+load(m), ", ")
		fmt.Fprintf(&b, "| %s | %s | %s | %s, %s %s | %s | %s | %s | %s |\n", m.DUT+mode(m), m.Direction, what,
			strings.ReplaceAll(f.Quantity, "_", " "),
			strings.TrimSpace(f.Qualifier+" "+strconv.FormatFloat(f.Value, 'f', -1, 64)), f.Unit, r.How, m.Ours, by, r.Text)
	}
	b.WriteString("\n")
	for i, command := range commands {
		fmt.Fprintf(&b, "%c:\n\n    sudo %s\n\n", 'A'+i, command)
	}
	return b.String()
}

// shown is the figure that stands for a measurement: what was received, where that was measured.
func shown(m *Measurement) int {
	return max(0, slices.IndexFunc(m.Figures, func(f Figure) bool { return f.Quantity == RxRate || f.Quantity == "tcp_received" }))
}

// tables lays out the figures of a study, a table for each kind and set of
// quantities, and what must be known of them.
func tables(s *Study) string {
	var b strings.Builder
	var notes []string
	done := make([]bool, len(s.Measurements))
	for i := 0; i < len(s.Measurements); {
		names := quantities(&s.Measurements[i])
		fmt.Fprintf(&b, "\n| UPF | Version | Direction | Load | %s | Note |\n|%s\n", strings.Join(names, " | "),
			strings.Repeat(" --- |", len(names)+5))
		first := s.Measurements[i]
		for j := i; j < len(s.Measurements); j++ {
			m := &s.Measurements[j]
			if done[j] || m.Kind != first.Kind || !slices.Equal(quantities(m), names) {
				continue
			}
			if !slices.Contains(notes, m.Validity) {
				notes = append(notes, m.Validity)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d |\n", m.DUT+mode(m), m.Version, m.Direction, load(m), strings.Join(values(m), " | "),
				slices.Index(notes, m.Validity)+1)
			done[j] = true
		}
		for i < len(s.Measurements) && done[i] {
			i++
		}
	}
	b.WriteString("\n")
	for i, note := range notes {
		fmt.Fprintf(&b, "%d. %s\n", i+1, note)
	}
	return b.String() + "\n"
}

func quantities(m *Measurement) (names []string) {
	for _, f := range m.Figures {
		names = append(names, strings.ReplaceAll(f.Quantity, "_", " ")+", "+f.Unit)
	}
	return names
}

func values(m *Measurement) (list []string) {
	for _, f := range m.Figures {
		list = append(list, strings.TrimSpace(f.Qualifier+" "+strconv.FormatFloat(f.Value, 'f', -1, 64)))
	}
	return list
}

func mode(m *Measurement) string {
	if m.Mode == "" {
		return ""
	}
	return " (" + m.Mode + ")"
}

func load(m *Measurement) string {
	if m.OfferedPPS > 0 {
		return strconv.FormatFloat(m.OfferedPPS, 'f', -1, 64) + " packets/s"
	}
	return m.Conditions
}

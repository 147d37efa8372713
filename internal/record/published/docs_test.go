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

var update = flag.Bool("update", false, "write the tables of docs/studies anew")

// The tables of docs/studies are those of the data.
func TestDocs(t *testing.T) {
	all, err := Studies()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		path := filepath.Join("../../..", "docs", "studies", s.Source.Key+".md")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%s has no page: %v", s.Source.Key, err)
			continue
		}
		const begin, end = "<!-- published: from the data, go test ./internal/record/published -update -->\n", "<!-- end -->"
		before, rest, found := strings.Cut(string(page), begin)
		_, after, closed := strings.Cut(rest, end)
		if !found || !closed {
			t.Errorf("%s lacks the marks %q and %q", path, begin, end)
			continue
		}
		want := before + begin + tables(&s) + end + after
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want != string(page) {
			t.Errorf("%s has other tables than its data: run go test ./internal/record/published -update", path)
		}
	}
}

// tables lays out the figures of a study, a table for each kind and set of
// quantities, and what must be known of them.
func tables(s *Study) string {
	var b strings.Builder
	var notes []string
	for i := 0; i < len(s.Measurements); {
		names := quantities(&s.Measurements[i])
		fmt.Fprintf(&b, "\n| UPF | Version | Direction | Load | %s | Note |\n|%s\n", strings.Join(names, " | "),
			strings.Repeat(" --- |", len(names)+5))
		first := s.Measurements[i]
		for j := i; j < len(s.Measurements); j++ {
			m := &s.Measurements[j]
			if m.Figures == nil || m.Kind != first.Kind || !slices.Equal(quantities(m), names) {
				continue
			}
			if !slices.Contains(notes, m.Validity) {
				notes = append(notes, m.Validity)
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %d |\n", m.DUT+mode(m), m.Version, m.Direction, load(m), strings.Join(values(m), " | "),
				slices.Index(notes, m.Validity)+1)
			m.Figures = nil // done
		}
		for i < len(s.Measurements) && s.Measurements[i].Figures == nil {
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

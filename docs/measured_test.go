package docs

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	measuredData = "reference/measured.csv"
	measuredPage = "reference/measured.md"
)

// measurement is a row of the data: one figure that was measured, or one trial.
type measurement struct {
	topic, command, date, machine, software string
	what, value, unit, aim, note            string
}

// setting is what the rows of one table of the page share.
func (m measurement) setting() measurement {
	return measurement{topic: m.topic, command: m.command, date: m.date, machine: m.machine, software: m.software}
}

// measurements reads the data.
func measurements(t *testing.T) (list []measurement) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(read(t, measuredData))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(rows[0], ","), "topic,command,date,machine,software,what,value,unit,aim,note"; got != want {
		t.Fatalf("%s has the columns %s, want %s", measuredData, got, want)
	}
	for _, r := range rows[1:] {
		list = append(list, measurement{r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9]})
	}
	return list
}

// TestMeasuredIsTheData: reference/measured.md shows the rows of measured.csv; UPDATE_GOLDEN=1 writes it.
func TestMeasuredIsTheData(t *testing.T) {
	want := measuredText(measurements(t))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(measuredPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, measuredPage) != want {
		t.Errorf("%s is not what %s has: UPDATE_GOLDEN=1 go test ./docs -run TestMeasuredIsTheData", measuredPage, measuredData)
	}
}

// TestMeasuredIsWhole: each row has a topic, a figure and a unit. It also has a command, a date and a machine, or its
// note says which of them is missing. The rows of a topic follow each other.
func TestMeasuredIsWhole(t *testing.T) {
	day := regexp.MustCompile(`^20\d\d-\d\d-\d\d$`)
	var topics []string
	for n, m := range measurements(t) {
		row := fmt.Sprintf("%s, row %d (%.60s)", measuredData, n+2, m.what)
		if m.topic == "" || m.what == "" || m.value == "" || m.unit == "" {
			t.Errorf("%s: topic, what, value or unit is empty", row)
		}
		for _, c := range []struct {
			is      bool
			missing string
		}{{m.command != "", "no command"}, {day.MatchString(m.date), "date not recorded"}, {m.machine != "", "machine not recorded"}} {
			if !c.is && !strings.Contains(m.note, c.missing) {
				t.Errorf("%s: the note does not say %q", row, c.missing)
			}
		}
		if m.date != "" && !day.MatchString(m.date) {
			t.Errorf("%s: the date %q is not written as 2026-11-29", row, m.date)
		}
		if len(topics) > 0 && topics[len(topics)-1] == m.topic {
			continue
		}
		if slices.Contains(topics, m.topic) {
			t.Errorf("%s: %s comes twice", row, m.topic)
		}
		topics = append(topics, m.topic)
	}
}

// TestMeasuredCommandsExist: a make target is in the Makefile, and a flag of `go test` that a package adds is in its
// tests. TestNamedTestsExist looks for the tests, and internal/cli parses the commands of upflab.
func TestMeasuredCommandsExist(t *testing.T) {
	makefile := read(t, "../Makefile")
	target, own := regexp.MustCompile(`^make (\S+)`), regexp.MustCompile(` -((?:bench\.|pfcp\.)?[a-z][a-z0-9-]*)`)
	known := []string{"run", "bench", "benchtime", "v", "count", "timeout", "cpu", "args"}
	for _, m := range measurements(t) {
		if f := target.FindStringSubmatch(m.command); f != nil && !strings.Contains(makefile, "\n"+f[1]+":") {
			t.Errorf("%s: the Makefile has no %s", m.command, f[1])
		}
		folder := where.FindStringSubmatch(m.command)
		if !strings.Contains(m.command, "go test ") || folder == nil {
			continue
		}
		tests := testsText(t, filepath.Join("..", folder[1]))
		for _, f := range own.FindAllStringSubmatch(m.command, -1) {
			if !slices.Contains(known, f[1]) && !strings.Contains(tests, `"`+f[1]+`"`) {
				t.Errorf("%s: the tests there have no flag %s", m.command, f[1])
			}
		}
	}
}

// testsText is the text of a folder's tests.
func testsText(t *testing.T, folder string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", folder, err)
	}
	var b strings.Builder
	for _, f := range files {
		b.WriteString(read(t, f))
	}
	return b.String()
}

// measuredText is the page: a section for each topic, a table for each setting.
func measuredText(list []measurement) string {
	var b strings.Builder
	b.WriteString("# What was tried and measured of upflab\n\n" +
		"Rows of [measured.csv](measured.csv), by topic. Each table has the date, the machine, the software of others and the command, as far as they were recorded.\n")
	topic := ""
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].setting() == list[0].setting() {
			n++
		}
		if list[0].topic != topic {
			topic = list[0].topic
			fmt.Fprintf(&b, "\n## %s\n", topic)
		}
		measuredTable(&b, list[:n])
		list = list[n:]
	}
	return b.String()
}

// measuredTable is the table of rows with one setting. What all their notes have is above it.
func measuredTable(b *strings.Builder, rows []measurement) {
	shared, columns := notes(rows[0]), []string{"what", "value", "unit"}
	for _, m := range rows {
		shared = slices.DeleteFunc(shared, func(part string) bool {
			return !slices.Contains(notes(m), part) || len(rows) == 1 && !strings.Contains(part, "recorded")
		})
	}
	own := func(m measurement) string {
		return strings.Join(slices.DeleteFunc(notes(m), func(part string) bool { return slices.Contains(shared, part) }), "; ")
	}
	if slices.ContainsFunc(rows, func(m measurement) bool { return m.aim != "" }) {
		columns = append(columns, "aim")
	}
	if slices.ContainsFunc(rows, func(m measurement) bool { return own(m) != "" }) {
		columns = append(columns, "note")
	}
	about := append([]string{rows[0].date, rows[0].machine, rows[0].software}, shared...)
	about = slices.DeleteFunc(about, func(s string) bool { return s == "" })
	fmt.Fprintf(b, "\n%s\n\n", strings.Join(about, "; "))
	if rows[0].command != "" {
		fmt.Fprintf(b, "    %s\n\n", rows[0].command)
	}
	fmt.Fprintf(b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, m := range rows {
		cells := map[string]string{"what": m.what, "value": m.value, "unit": m.unit, "aim": m.aim, "note": own(m)}
		for _, c := range columns {
			fmt.Fprintf(b, "| %s ", strings.ReplaceAll(cells[c], "|", `\|`))
		}
		b.WriteString("|\n")
	}
}

// notes are the parts of a row's note.
func notes(m measurement) []string { return strings.Split(m.note, "; ") }

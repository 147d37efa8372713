package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour/cases"
)

// row is one of upf-pfcp.md's tables: an IE or a message, what becomes of it, and what shows it.
type row struct{ what, is, shown string }

// rows are those of all tables of upf-pfcp.md.
func rows(t *testing.T) (list []row) {
	t.Helper()
	for line := range strings.Lines(read(t, "reference/upf-pfcp.md")) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 3 || !strings.HasPrefix(line, "| ") {
			continue
		}
		list = append(list, row{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
	}
	if len(list) < 100 {
		t.Fatalf("upf-pfcp.md has %d rows only", len(list))
	}
	return list
}

var (
	story = regexp.MustCompile(`TestAnswers: ([^;|]+)`)
	shows = regexp.MustCompile("(cases?|check) `([a-z0-9.-]+)`")
	yes   = regexp.MustCompile("^(yes|`xdp`.*: yes)\\b")
)

// TestYesNamesItsTest: each row of upf-pfcp.md that says yes names a test, a behaviour case or a check of the conformance
// suite, and what is named exists. TestNamedTestsExist finds tests; stories, cases and checks are found here.
func TestYesNamesItsTest(t *testing.T) {
	stories := sources(t, "../upf/n4/answers_test.go") + sources(t, "../upf/n4/testdata/*")
	checks := sources(t, "../tools/conformance/check_*.py")
	for _, r := range rows(t) {
		if yes.MatchString(r.is) && !named.MatchString(r.shown) && !shows.MatchString(r.shown) {
			t.Errorf("%s: no test is named for %q", r.what, r.is)
		}
		for _, s := range story.FindAllStringSubmatch(r.shown, -1) {
			for _, name := range strings.Split(s[1], ", ") {
				if name = strings.TrimSpace(name); !strings.HasPrefix(name, "Test") && !strings.Contains(stories, strings.ToLower(name)) {
					t.Errorf("%s: TestAnswers has no story %q", r.what, name)
				}
			}
		}
		for _, s := range shows.FindAllStringSubmatch(r.shown, -1) {
			if s[1] == "check" && !strings.Contains(checks, `"`+s[2]+`"`) || s[1] != "check" && !isCase(s[2]) {
				t.Errorf("%s: there is no %s %s", r.what, s[1], s[2])
			}
		}
	}
}

// isCase reports whether a behaviour case has the ID, or cases below it have.
func isCase(id string) bool {
	return slices.ContainsFunc(cases.All(), func(c cases.Case) bool { return c.ID == id || strings.HasPrefix(c.ID, id+".") })
}

// sources are the texts of files, in small letters.
func sources(t *testing.T, pattern string) string {
	t.Helper()
	files, _ := filepath.Glob(pattern)
	var all strings.Builder
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil {
			all.Write(text)
		}
	}
	if all.Len() == 0 {
		t.Fatalf("nothing is in %s", pattern)
	}
	return strings.ToLower(all.String())
}

// TestPackageDocAgreesWithTable: what the comment of package upf/n4 says is carried out, kept, refused, or announced,
// upf-pfcp.md says too, and everything that is kept or announced is in both.
func TestPackageDocAgreesWithTable(t *testing.T) {
	doc := strings.ReplaceAll(strings.ReplaceAll(read(t, "../upf/n4/doc.go"), "\n// ", " "), "\n//", "\n")
	list := rows(t)
	for _, c := range []struct {
		heading string
		is      func(r row) bool
	}{
		{"Carried out:", func(r row) bool { return yes.MatchString(r.is) }},
		{"Kept without effect:", func(r row) bool { return strings.HasPrefix(r.is, "kept") }},
		{"Refused:", func(r row) bool { return strings.HasPrefix(r.is, "refused") || strings.HasPrefix(r.is, "no") }},
		{"Announced:", func(r row) bool { return strings.HasPrefix(r.is, "yes") && feature.MatchString(r.what) }},
	} {
		_, text, found := strings.Cut(doc, c.heading)
		if text, _, _ = strings.Cut(text, "."); !found {
			t.Errorf("the comment of package pfcp has no %q", c.heading)
			continue
		}
		listed := strings.Split(strings.TrimSpace(text), ", ")
		for _, item := range listed {
			if !slices.ContainsFunc(list, func(r row) bool { return c.is(r) && strings.Contains(r.what, item) }) {
				t.Errorf("the comment of package pfcp has %q under %q, and upf-pfcp.md does not", item, c.heading)
			}
		}
		if c.heading == "Kept without effect:" || c.heading == "Announced:" {
			for _, r := range list {
				for _, item := range strings.Split(r.what, ", ") {
					if item = strings.TrimSuffix(item, " of the Forwarding Parameters"); c.is(r) && !slices.Contains(listed, item) {
						t.Errorf("upf-pfcp.md has %q (%s), and the comment of package pfcp lacks it under %q", item, r.is, c.heading)
					}
				}
			}
		}
	}
}

// feature is a row of UP function features.
var feature = regexp.MustCompile(`^[A-Z0-9, -]+$`)

// TestFeaturesAreAnnounced: the features that upf-pfcp.md has as announced are those in the source of the answer to an
// Association Setup.
func TestFeaturesAreAnnounced(t *testing.T) {
	var want, got []string
	for _, f := range regexp.MustCompile(`(?m)^\tfeature([A-Z0-9]+) `).FindAllStringSubmatch(read(t, "../upf/n4/procedure/associate.go"), -1) {
		got = append(got, f[1])
	}
	for _, r := range rows(t) {
		if strings.HasPrefix(r.is, "yes") && feature.MatchString(r.what) {
			want = append(want, strings.Split(r.what, ", ")...)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("upf/n4 announces %v, upf-pfcp.md %v", got, want)
	}
}

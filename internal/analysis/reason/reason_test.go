package reason

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/decltest"
)

// TestEachReasonIsWhole: one code and one name each, with a sentence, a cause and a fix.
func TestEachReasonIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.Code] || !regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z][a-z0-9]*)*$`).MatchString(r.Code) {
			t.Errorf("code %q is there twice, or is no code", r.Code)
		}
		seen[r.Code] = true
		if r.Name == "" || len(r.Name) > 26 || r.Kind == "" {
			t.Errorf("%s: name %q, kind %q", r.Code, r.Name, r.Kind)
		}
		for _, text := range []string{r.Sentence, r.Cause, r.Fix} {
			if !strings.HasSuffix(text, ".") && !strings.Contains(text, "--set") && !strings.Contains(text, "--pcap") {
				t.Errorf("%s: %q is no sentence", r.Code, text)
			}
		}
	}
}

// TestReasonsOfResults: each fault, doubt, limit and reason of a search that a result can have is in the table, and
// the table has no other codes of theirs.
func TestReasonsOfResults(t *testing.T) {
	declared := map[string]bool{}
	for _, c := range []struct {
		of   string
		code func(string) string
		may  []Kind
	}{
		{"Fault", func(s string) string { return s }, []Kind{NotValid}},
		{"SearchReason", func(s string) string { return s }, []Kind{NotValid, Doubt}},
		{"Doubt", func(s string) string { return s }, []Kind{Doubt}},
		{"Limit", func(s string) string { return record.Limit(s).Code() }, []Kind{LimitedBy}},
	} {
		for name, value := range decltest.Constants(t, "../../record", c.of) {
			code := c.code(value)
			declared[code] = true
			if r, known := Of(code); !known || !slices.Contains(c.may, r.Kind) {
				t.Errorf("record.%s is %q here: %+v", name, code, r)
			}
		}
	}
	for _, r := range All() {
		if !declared[r.Code] {
			t.Errorf("%q is in the table, and no constant of record says it", r.Code)
		}
	}
	if _, known := Of("cpus-apart"); !known {
		t.Error("hyphens do not stand for underscores")
	}
}

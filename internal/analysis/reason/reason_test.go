package reason

import (
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestEachReasonIsWhole: one code and one name each, with a sentence, a cause and a fix.
func TestEachReasonIsWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range All() {
		if seen[r.Code] || !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(r.Code) {
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

// TestReasonsOfResults: each fault and limit that a result can have is in the table.
func TestReasonsOfResults(t *testing.T) {
	for _, f := range []record.Fault{record.FaultDUTEnded, record.FaultNotSent, record.FaultCounters, record.FaultCutShort,
		record.FaultStretched, record.FaultSteal, record.FaultThrottled, record.FaultSink, record.FaultCatchUp, record.FaultWrong,
		record.FaultClock, record.FaultHost, record.FaultAsleep} {
		if r, known := Of(string(f)); !known || r.Kind != NotValid {
			t.Errorf("%s: %+v", f, r)
		}
	}
	for _, l := range []record.Limit{record.LimitDUT, record.LimitGenerator, record.LimitLink, record.LimitHost, record.LimitNone} {
		if r, known := Of(l.Code()); !known || r.Kind != LimitedBy {
			t.Errorf("%s: %+v", l, r)
		}
	}
	if _, known := Of("cpus-apart"); !known {
		t.Error("hyphens do not stand for underscores")
	}
}

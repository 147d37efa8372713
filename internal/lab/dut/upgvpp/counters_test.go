package upgvpp

import (
	"os"
	"reflect"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

func TestParseError(t *testing.T) {
	for _, c := range []struct {
		why, line string
		want      nodeError
		ok        bool
	}{
		{"three words", "10 upf-gtpu4-input no such tunnel packets error",
			nodeError{10, "upf-gtpu4-input", "no such tunnel packets", "error"}, true},
		{"a long reason touches the severity", "7 ip4-icmp-error a reason of more than thirty-five letterserror",
			nodeError{7, "ip4-icmp-error", "a reason of more than thirty-five letters", "error"}, true},
		{"information", "1 ip4-local ip4 nothing info", nodeError{1, "ip4-local", "ip4 nothing", "info"}, true},
		{"the header", "Count Node Reason Severity", nodeError{}, false},
		{"no reason", "10 node error", nodeError{}, false},
		{"no severity", "10 node a reason", nodeError{}, false},
		{"only a number", "10", nodeError{}, false},
		{"not a count", "-1 node reason error", nodeError{}, false},
		{"too large", "99999999999999999999 node reason error", nodeError{}, false},
		{"nothing", "", nodeError{}, false},
	} {
		got, ok := parseError(c.line)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %+v, %v", c.why, got, ok)
		}
	}
}

// testdata/errors.txt is what VPP 24.02 answered under load.
func TestDrops(t *testing.T) {
	b, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := drops(parseErrors(string(b)))
	var want []record.Count
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func FuzzErrors(f *testing.F) {
	fuzztest.Brief(f)
	b, _ := os.ReadFile("testdata/errors.txt")
	f.Add(string(b))
	f.Add("1 n r error\n1 n rerror\n1  error")
	f.Fuzz(func(t *testing.T, text string) {
		for _, e := range parseErrors(text) {
			if e.node == "" || e.reason == "" {
				t.Errorf("%+v", e)
			}
		}
	})
}

package doctor

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden file anew")

func TestPrint(t *testing.T) {
	var out bytes.Buffer
	p := NewPrinter(&out)
	summary := Summary{}
	for _, f := range []Finding{
		{"machine", "CPUs", OK, "2 x EPYC: generator on CPU 0, DUT and sink on CPU 1", "not shown"},
		{"machine", "steal", Warn, "3.1 % of the last second", "measure at a quieter time"},
		{"machine", "mitigations", Info, "none active", ""},
		{"kernel", "Linux", Missing, "5.15.0", "boot a later one"},
		{"kernel", "native XDP on veth", Untried, "needs root to be tried", ""},
		{"bench", "wire", Missing, "the kernel refused it:\n\t312: call\n\n\tR4 unbounded\n", "see above"},
		{"leftovers", "of killed runs", OK, "", ""},
	} {
		summary.Add(f)
		p.Print(f)
	}
	fmt.Fprintf(&out, "\n%s\n", summary)
	const golden = "testdata/findings.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v: run go test -update", err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%s differs; look at the change, then run go test -update\n%s", golden, out.Bytes())
	}
}

func TestSummary(t *testing.T) {
	const there = "ready: everything that `upflab run` needs is there"
	for _, c := range []struct {
		s     Summary
		ready bool
		want  string
	}{
		{Summary{OK: 9, Info: 3}, true, there},
		{Summary{OK: 9, Warn: 1}, true, there + "; 1 warning"},
		{Summary{Warn: 2}, true, there + "; 2 warnings"},
		{Summary{Missing: 1, Warn: 2}, false, "not ready: of what `upflab run` needs, 1 missing"},
		{Summary{Untried: 3}, false, "not ready: of what `upflab run` needs, 3 not tried"},
		{Summary{OK: 9, Warn: 1, Busy: 2}, true,
			"ready, as far as the busy machine shows: 2 checks left open; call this again when nothing else runs"},
		{Summary{Missing: 1, Busy: 2}, false, "not ready: of what `upflab run` needs, 1 missing"},
		{Summary{Missing: 1, Untried: 3}, false, "not ready: of what `upflab run` needs, 1 missing and 3 not tried"},
	} {
		if c.s.Ready() != c.ready || c.s.String() != c.want {
			t.Errorf("%v: %v, %q", map[State]int(c.s), c.s.Ready(), c.s)
		}
	}
}

package matrix

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestAttempts: a job is begun three times where a campaign's file does not say how often, and from
// once to 1000 times where it does. Each job of the plan has that number.
func TestAttempts(t *testing.T) {
	for _, c := range []struct {
		line string
		want int    // of each job; 0: the file is refused
		says string // why
	}{
		{"", 3, ""},
		{"attempts: 1", 1, ""},
		{"attempts: 1000", 1000, ""},
		{"attempts: 1001", 0, "attempts: 1001; a job is begun 1000 times at most"},
		{"attempts: 0", 0, "repeats and attempts are 1 or more"},
		{"attempts: -1", 0, "repeats and attempts are 1 or more"},
		{"attempts: 99999999999999999999", 0, "attempts"},
		{"attempts: often", 0, "attempts"},
		{"pcap: -1", 0, "pcap: -1; give how many"},
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		write(t, path, fmt.Sprintf("campaign: c\nscenario: quick\nrepeats: 2\nmatrix:\n  dut: [builtin:xdp]\n%s\n", c.line))
		f, err := Read(path)
		if c.want == 0 {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want %q", c.line, err, c.says)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		p, err := f.Plan("v1")
		if err != nil || len(p.Jobs) != 2 {
			t.Errorf("%s: %+v, %v", c.line, p, err)
			continue
		}
		for _, j := range p.Jobs {
			if j.Attempts != c.want {
				t.Errorf("%s: %s is begun %d times, want %d", c.line, j.Name, j.Attempts, c.want)
			}
		}
	}
}

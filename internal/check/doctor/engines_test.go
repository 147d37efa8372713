package doctor

import (
	"errors"
	"strings"
	"testing"
)

func TestJudgeEngines(t *testing.T) {
	no := errors.New("operation not permitted")
	for _, c := range []struct {
		story           string
		noXDP, noSocket error
		state           State
		says            string
	}{
		{"both", nil, nil, OK, "xdp (which auto takes) and af_packet"},
		{"no packet sockets", nil, no, OK, "not af_packet"},
		{"no BPF", no, nil, Warn, "af_packet, which auto takes"},
		{"neither", no, no, Missing, "operation not permitted"},
	} {
		f := judgeEngines(c.noXDP, c.noSocket)
		if f.State != c.state || !strings.Contains(f.Detail, c.says) {
			t.Errorf("%s: %+v, want %s and %q", c.story, f, c.state, c.says)
		}
	}
}

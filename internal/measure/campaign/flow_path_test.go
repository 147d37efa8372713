package campaign

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/record"
)

func TestBrokenPath(t *testing.T) {
	for want, c := range map[string]struct{ up, arrived, out, down, errors uint64 }{
		"":                               {100, 100, 90, 90, 0},
		"passes nothing uplink":          {100, 1, 0, 0, 0},
		"does not know the TEID":         {100, 0, 0, 0, 100},
		"answers nothing":                {100, 100, 0, 0, 0},
		"passes uplink and nothing down": {100, 100, 90, 2, 0},
		"passes downlink but loses 99.5": {18, 18, 2921798, 14277, 0},
	} {
		before := flowPath{gateway: uegateway.Counters{UplinkPackets: 7, DownlinkPackets: 5, ErrorIndications: 2}, arrived: 11, out: 13}
		after := flowPath{gateway: uegateway.Counters{UplinkPackets: 7 + c.up, DownlinkPackets: 5 + c.down,
			ErrorIndications: 2 + c.errors}, arrived: 11 + c.arrived, out: 13 + c.out}
		got := after.broken(before)
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
		f := record.AppFlow{Valid: false}
		if explainPath(&f, before, after); len(f.Reasons) != min(1, len(want)) {
			t.Errorf("%+v: %q", c, f.Reasons)
		}
	}
	plain := flowPath{} // no gateway counts
	if got := (flowPath{arrived: 5, out: 5}).broken(plain); got != "" {
		t.Errorf("%q", got)
	}
}

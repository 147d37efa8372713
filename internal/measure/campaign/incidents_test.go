package campaign

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestLostInALine: the outcome of an incident is what was lost, why it could not be carried out, or both.
func TestLostInALine(t *testing.T) {
	one, none := &record.Interruption{Lost: 3, OutageS: 0.25}, &record.Interruption{}
	for _, c := range []struct {
		incident record.Incident
		want     string
	}{
		{record.Incident{Uplink: one, Downlink: none}, "uplink lost 3, outage 250 ms; downlink lost 0, outage 0 ms"},
		{record.Incident{Uplink: one, Downlink: none, Problem: "the UPF ended"},
			"uplink lost 3, outage 250 ms; downlink lost 0, outage 0 ms; the UPF ended"},
		{record.Incident{Problem: "no session is established"}, "no session is established"},
		{record.Incident{}, ""},
	} {
		if got := lost(&c.incident); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

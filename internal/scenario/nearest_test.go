package scenario

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/text/spelling"
)

func TestNearest(t *testing.T) {
	names := paths(Keys())
	for word, want := range map[string][]string{
		"paylod": {"payload"}, "Payload": {"payload"}, "gnb": {"n3.gnb", "control.gnbs", "n3.gnb6"}, "session": {"sessions"},
		"mut": {"mtu", "cpu.dut"}, "rate": {"latency.rate", "attack.rate", "full.latency.rate"}, "wibble": nil, "": nil,
		"prefx": {"n3.prefix", "n4.prefix", "n6.prefix"},
	} {
		if got := spelling.Near(word, names); !slices.Equal(got, want) {
			t.Errorf("Near(%q) = %q, want %q", word, got, want)
		}
	}
}

package scenario

import (
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/scenario/schema"
	"github.com/upflab/upflab/internal/text/spelling"
)

func TestNearest(t *testing.T) {
	var names []string
	for _, k := range schema.Keys() {
		names = append(names, k.Path)
	}
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

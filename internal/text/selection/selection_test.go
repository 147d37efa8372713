package selection

import (
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	all := []string{"qer.gate.uplink", "qer.gate.downlink", "qer.qfi", "qer.qfi.update"}
	self := func(s *string) string { return *s }
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, strings.Join(all, " ")},
		{[]string{"qer.gate"}, "qer.gate.uplink qer.gate.downlink"},
		{[]string{"qer.qfi", "qer.gate.uplink", "qer"}, "qer.qfi qer.qfi.update qer.gate.uplink qer.gate.downlink"},
		{[]string{"qer.qfi", "qer.qfi"}, "qer.qfi qer.qfi.update"},
	} {
		list, err := Of(all, self, "case", c.names)
		if got := strings.Join(list, " "); err != nil || got != c.want {
			t.Errorf("%v: %s, %v", c.names, got, err)
		}
	}
	for name, want := range map[string]string{
		"qer.gat":  "there is no case \"qer.gat\" (did you mean qer.gate",
		"":         "`upflab behaviour list` shows all",
		"qer.qfii": "did you mean qer.qfi",
	} {
		if list, err := Of(all, self, "case", []string{"qer.gate", name}); err == nil ||
			!strings.Contains(err.Error(), want) || slices.Contains(list, name) {
			t.Errorf("%q: %v, %v", name, list, err)
		}
	}
}

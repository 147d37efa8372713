package measure

import (
	"errors"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/scenario"
)

func TestChooseEngine(t *testing.T) {
	works := func() error { return nil }
	fails := func() error { return errors.New("operation not permitted") }
	for _, c := range []struct {
		want      scenario.Engine
		try       func() error
		name, why string
		failed    string
	}{
		{scenario.EngineAuto, works, "xdp", "the fastest", ""},
		{scenario.EngineAuto, fails, "af_packet", "operation not permitted", ""},
		{scenario.EngineXDP, works, "xdp", "the scenario asks", ""},
		{scenario.EngineXDP, fails, "", "", "engine=af_packet"},
		{scenario.EngineAFPacket, fails, "af_packet", "the scenario asks", ""},
	} {
		e, err := chooseEngine(c.want, c.try)
		if e.Name != c.name || !strings.Contains(e.Why, c.why) {
			t.Errorf("%s: %+v, want %s because %q", c.want, e, c.name, c.why)
		}
		if (err != nil) != (c.failed != "") || err != nil && !strings.Contains(err.Error(), c.failed) {
			t.Errorf("%s: error %v, want one with %q", c.want, err, c.failed)
		}
	}
}

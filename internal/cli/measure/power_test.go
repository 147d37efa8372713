package measure

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/record"
)

// TestPowerIsSaidBefore: each figure with a threshold says once how close to its limit there is no verdict: 8 % and 25 %
// of scatter times 1.96. Counts are exact.
func TestPowerIsSaidBefore(t *testing.T) {
	s, err := inputs.OpenScenario("quick", []string{"loads=20k,max", "thresholds=rx_pps >= 1M @ uplink max,rx_pps >= 2M @ downlink max,latency.p99 < 100us @ 20k,wrong == 0,wrong <= 3"}, false)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	outlinePower(&out, s, record.Host{Hostname: "never calibrated"})
	text := out.String()
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, "rx_pps within 16 % of its limit gets no verdict") ||
		!strings.Contains(text, "latency.p99 within 49 %") || !strings.Contains(text, "upflab calibrate") {
		t.Errorf("%s", text)
	}
}

package campaign

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/record"
)

// TestStressOf: loads that are shares of what one DUT carries wait for that one.
func TestStressOf(t *testing.T) {
	p := studyOf(t, "stress.of=b").Plan
	order, err := p.Preparing()
	if err != nil || !slices.Equal(order, []int{2, 0, 1}) {
		t.Errorf("the order is %v, %v; want b first, then wire and a", order, err)
	}
	r := &kit.Book{Plan: p, Result: &record.Result{DUTs: []record.DUT{{}, {}, {Stress: &record.Stress{
		Capacities: []record.Capacity{{Direction: record.Uplink, Size: "1400", PPS: 2000, HighestPPS: 1e6}}}}}}}
	if c, err := capacityOf(r, "b", stressKey{1, record.Uplink, "1400"}); err != nil || c.PPS != 2000 {
		t.Errorf("capacity %+v, %v", c, err)
	}
	if _, err := capacityOf(r, "b", stressKey{1, record.Downlink, "1400"}); err == nil ||
		!strings.Contains(err.Error(), "what b carries downlink is not known") {
		t.Errorf("a direction without a capacity: %v", err)
	}
	if _, err := studyOf(t, "stress.of=c").Plan.Preparing(); err == nil || !strings.Contains(err.Error(), "add --dut c") {
		t.Errorf("a DUT that is not measured: %v", err)
	}
}

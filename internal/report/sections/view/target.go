package view

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// TargetText names a target: "p99 ≤ 100 µs, loss ≤ 0.001 %".
func TargetText(t record.LoadTarget) string {
	loss := fmt.Sprintf("loss ≤ %.3g %%", 100*t.LossRatio)
	if t.P99NS > 0 {
		return "p99 ≤ " + units.Time(t.P99NS) + ", " + loss
	}
	return loss
}

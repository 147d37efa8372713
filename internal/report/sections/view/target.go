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
		return "p99 ≤ " + Duration(t.P99NS) + ", " + loss
	}
	return loss
}

// Duration writes ns with the unit that suits: "12.3 µs", "5 ms".
func Duration(ns float64) string {
	switch {
	case ns >= 1e9:
		return units.Number(ns/1e9, "%.3g s")
	case ns >= 1e6:
		return units.Number(ns/1e6, "%.3g ms")
	}
	return units.Time(ns)
}

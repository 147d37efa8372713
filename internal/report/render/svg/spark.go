package svg

import (
	"fmt"
	"math"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// Size of a line that is a word's, in pixels.
const (
	sparkWidth  = 84.0
	sparkHeight = 18.0
)

// Spark draws values as a line without axes, from their least to their greatest, with a dot at the
// newest. Fewer than two values draw nothing.
func Spark(s block.Spark) string {
	least, most := math.Inf(1), math.Inf(-1)
	for _, v := range s.Values {
		least, most = min(least, v), max(most, v)
	}
	if len(s.Values) < 2 || math.IsNaN(least) || math.IsInf(most-least, 0) {
		return ""
	}
	const tenth = 0.1 // a line that varies by less is drawn flatter: noise is not to look like a change
	if mid := (most + least) / 2; most-least < tenth*math.Abs(mid) {
		least, most = mid-tenth/2*math.Abs(mid), mid+tenth/2*math.Abs(mid)
	}
	var path strings.Builder
	x, y := 0.0, 0.0
	for i, v := range s.Values {
		x = sparkWidth * float64(i) / float64(len(s.Values)-1)
		y = sparkHeight / 2
		if most > least {
			y = sparkHeight * (1 - (v-least)/(most-least))
		}
		step := "L"
		if i == 0 {
			step = "M"
		}
		path.WriteString(step + n(x) + "," + n(y))
	}
	return fmt.Sprintf(`<svg class="spark" width="%s" height="%s" role="img" aria-label="%s"><path d="%s"/><circle cx="%s" cy="%s" r="2.5"/></svg>`,
		n(sparkWidth), n(sparkHeight), esc(s.Label), path.String(), n(x), n(y))
}

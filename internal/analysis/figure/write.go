package figure

import (
	"fmt"
	"math"
	"strconv"

	"github.com/upflab/upflab/internal/text/units"
)

// Write writes a value of a unit for people: "1.02 Mpps", "85 µs".
func Write(v float64, u Unit) string {
	switch u {
	case PPS:
		return units.Rate(v)
	case BPS:
		return units.Gbps(v) + " Gbit/s"
	case Nanos:
		return units.Time(v)
	case Seconds:
		return units.Time(v * 1e9)
	case Ratio:
		return units.Loss(v)
	case Bytes:
		return units.Bytes(uint64(math.Max(v, 0)))
	case Count:
		return number(v)
	case Cores:
		return units.Cores(v) + " cores"
	}
	return fmt.Sprintf("%.4g %s", v, u)
}

// number writes how many: all digits of a count, and four or one behind the point of a mean.
func number(v float64) string {
	switch {
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', -1, 64)
	case math.Abs(v) >= 1000:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

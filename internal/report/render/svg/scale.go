package svg

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// scale turns values of an axis into places along it.
type scale struct {
	title  string
	to     func(v float64) float64
	lo, hi float64 // places
	ticks  []tick
	axis   block.Axis
	reach  float64 // the value by which its unit is chosen
}

// text writes a value in the unit of the axis.
func (s scale) text(v float64) string { return s.axis.TextUpTo(v, s.reach) }

// tick is a place along an axis with its text.
type tick struct {
	at   float64
	text string
}

// share is how far along the axis a value lies, 0..1; values beyond its ends lie there.
func (s scale) share(v float64) float64 { return s.of(s.to(v)) }

// of is the same of a place.
func (s scale) of(place float64) float64 { return min(max((place-s.lo)/(s.hi-s.lo), 0), 1) }

// newScale makes the axis of values; marks is about how many ticks it has.
func newScale(a block.Axis, values []float64, marks int) scale {
	least, most := extent(values)
	reach := most
	if a.Scale == block.Log && least > 0 { // small values are to be read, too
		reach = min(most, 1000*least)
	}
	factor, unit := a.Unit.UpTo(reach)
	s := scale{title: title(a.Label, unit), axis: a, reach: reach}
	switch {
	case len(a.Categories) > 0:
		s.categories(a.Categories)
		return s
	case a.Scale == block.Dates:
		s.dates(least, most, marks)
		return s
	}
	switch a.Scale {
	case block.Log:
		s.log(values, factor)
	case block.LogOrZero:
		s.logOrZero(values)
	case block.Rarity:
		s.rarity(values)
	default:
		s.linear(min(least, 0), max(most, float64(a.Least)), factor, marks)
		if a.Unit == block.Seconds { // time ends with its last point; other axes end at a tick
			s.lo, s.hi = min(least, 0), max(most, 0.1)
			s.ticks = slices.DeleteFunc(s.ticks, func(t tick) bool { return t.at < s.lo || t.at > s.hi })
		}
	}
	return s
}

func extent(values []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			least, most = min(least, v), max(most, v)
		}
	}
	if most < least {
		return 0, 1
	}
	return least, most
}

// title is the axis' label with its unit.
func title(label, unit string) string {
	label = strings.TrimSuffix(label, ", packets/s")
	if unit == "" || label == unit || strings.HasSuffix(label, ", "+unit) {
		return label
	}
	if label == "packets/s" || label == "bits/s" {
		label = "rate"
	}
	return label + " (" + unit + ")"
}

func (s *scale) linear(least, most, factor float64, marks int) {
	step := roundStep((most - least) / factor / float64(marks))
	from, to := math.Floor(least/factor/step+1e-9), math.Ceil(most/factor/step-1e-9)
	s.to = func(v float64) float64 { return v }
	s.lo, s.hi = from*step*factor, max(to, from+1)*step*factor
	for i := from; i <= max(to, from+1); i++ {
		s.mark(i*step*factor, trim(i*step))
	}
}

// roundStep is the next of 1, 2, 2.5, 5 times a power of ten.
func roundStep(v float64) float64 {
	if !(v > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 2.5, 5, 10} {
		if f*power >= v*0.999 {
			return f * power
		}
	}
	return 10 * power
}

func trim(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func (s *scale) mark(at float64, name string) {
	s.ticks = append(s.ticks, tick{at, name})
}

// log has its least value just within.
func (s *scale) log(values []float64, factor float64) {
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 0) {
			least, most = min(least, v), max(most, v)
		}
	}
	if most == 0 {
		least, most = 1, 10
	}
	lo, hi := least*0.85, max(most, least*1.3)*1.15
	s.to = func(v float64) float64 { return math.Log10(max(v, lo)) }
	s.lo, s.hi = math.Log10(lo), math.Log10(hi)
	for _, v := range decades(lo/factor, hi/factor) {
		s.mark(math.Log10(v*factor), decimal(v))
	}
}

// decades are round values between two: powers of ten where there are enough, else
// more between them.
func decades(lo, hi float64) (list []float64) {
	steps := [][]float64{{1}, {1, 3}, {1, 2, 5}, {1, 1.5, 2, 3, 5, 7}, evenly(0.5), evenly(0.1), evenly(0.05), evenly(0.01)}
	for _, factors := range steps {
		list = nil
		for p := math.Floor(math.Log10(lo)); p <= math.Ceil(math.Log10(hi)); p++ {
			for _, f := range factors {
				if v := f * math.Pow(10, p); v >= lo && v <= hi {
					list = append(list, v)
				}
			}
		}
		if len(list) >= 4 {
			break
		}
	}
	return apart(list, math.Pow(hi/lo, 0.08))
}

// apart leaves out values that are less than a factor above the one before.
func apart(list []float64, factor float64) (kept []float64) {
	for _, v := range list {
		if n := len(kept); n == 0 || v >= kept[n-1]*factor {
			kept = append(kept, v)
		}
	}
	return kept
}

// evenly is 1 to 10 in steps.
func evenly(step float64) (list []float64) {
	for i := range int(9/step + 0.5) {
		list = append(list, 1+float64(i)*step)
	}
	return list
}

func decimal(v float64) string { return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64) }

// logOrZero is of shares 0..1, with a place for 0 below the least.
func (s *scale) logOrZero(values []float64) {
	least := 1e-3
	for _, v := range values {
		if v > 0 {
			least = min(least, v)
		}
	}
	low := math.Floor(math.Log10(least))
	s.to = func(v float64) float64 {
		if v <= 0 {
			return low - 0.7
		}
		return math.Log10(min(v, 1))
	}
	s.lo, s.hi = low-1, 0
	s.mark(low-0.7, "none")
	for p := low; p <= 0; p++ {
		s.mark(p, decimal(math.Pow(10, p+2)))
	}
}

// rarity is of shares: each ten times fewer above take the same height.
func (s *scale) rarity(values []float64) {
	at := func(share float64) float64 { return -math.Log10(1 - min(share, 1-1e-12)) }
	s.to, s.hi = at, 1
	for _, v := range values {
		s.hi = max(s.hi, at(v))
	}
	for _, share := range []float64{0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999} {
		name := "p" + strconv.FormatFloat(share*100, 'g', 9, 64)
		if share == 0 {
			name = "min"
		}
		if crowded := share == 0.5 && s.hi >= 5; !crowded && at(share) <= s.hi*1.001 {
			s.mark(at(share), name)
		}
	}
}

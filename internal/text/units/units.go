// Package units writes quantities for people: rates, times, ratios, sizes. A value
// that is not known is written None.
package units

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// What is shown in place of a value.
const (
	None  = "n/a" // it is not known
	Blank = "–"   // there is nothing to know
)

// Known reports whether a text is a value.
func Known(text string) bool { return text != "" && text != None && text != Blank }

// A Writer writes a value; NaN and infinities come out as None.
type Writer func(float64) string

// Number writes a value by a format of fmt.
func Number(v float64, format string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return None
	}
	return fmt.Sprintf(format, v)
}

// Kpps writes packets/s in thousands.
func Kpps(pps float64) string { return Number(pps/1e3, "%.2f") }

// Mpps writes packets/s in millions.
func Mpps(pps float64) string {
	if pps < 1e5 {
		return Number(pps/1e6, "%.3f")
	}
	return Number(pps/1e6, "%.2f")
}

// FineMpps writes packets/s in millions, to a hundredth of the rate or finer.
func FineMpps(pps float64) string {
	switch {
	case pps >= 1e6:
		return Number(pps/1e6, "%.2f")
	case pps >= 1e5:
		return Number(pps/1e6, "%.3f")
	default:
		return Number(pps/1e6, "%.4f")
	}
}

// Gbps writes bits/s in thousand millions.
func Gbps(bps float64) string {
	if bps < 1e8 {
		return Number(bps/1e9, "%.4f")
	}
	return Number(bps/1e9, "%.2f")
}

// Micros writes ns as microseconds with three digits, for a column of them. A number too long to
// be read as such, from 10 ms on, has the unit that suits with it.
func Micros(ns float64) string {
	if ns >= 9_999_500 {
		return Time(ns)
	}
	return threeDigits(ns / 1e3)
}

// threeDigits writes a value with three digits, or all before the point.
func threeDigits(v float64) string {
	switch {
	case v >= 99.95:
		return Number(v, "%.0f")
	case v >= 9.995:
		return Number(v, "%.1f")
	default:
		return Number(v, "%.2f")
	}
}

// Millis writes ns as milliseconds, to the microsecond or finer, for a column of them. From ten
// seconds on it has the unit that suits with it.
func Millis(ns float64) string {
	switch {
	case ns < 1e5:
		return Number(ns/1e6, "%.4f")
	case ns >= 9_999_500_000:
		return Time(ns)
	}
	return Number(ns/1e6, "%.3f")
}

// Nanos writes ns as they are.
func Nanos(ns float64) string { return Number(ns, "%.0f") }

// Cores writes a share of cores, 1 being one core fully busy.
func Cores(v float64) string { return Number(v, "%.3f") }

// Percent writes a ratio 0..1 without the sign, for columns headed "%".
func Percent(ratio float64) string { return Number(ratio*100, "%.2f") }

// Loss writes a ratio: small ones as 1.3e-5, larger ones as a percentage.
func Loss(ratio float64) string {
	switch {
	case ratio == 0:
		return "0"
	case math.Abs(ratio) < 0.001:
		return exponent(Number(ratio, "%.1e"))
	case math.Abs(ratio) < 0.1:
		return Number(ratio*100, "%.2f %%")
	default:
		return Number(ratio*100, "%.1f %%")
	}
}

// exponent turns 1.3e-05 into 1.3e-5.
func exponent(s string) string { return strings.Replace(s, "e-0", "e-", 1) }

// Count writes a number of packets with separators: "1,234,567".
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Bytes writes bytes in binary multiples.
func Bytes(bytes uint64) string {
	const step = 1024
	v, names := float64(bytes), "KMGT"
	if bytes < step {
		return fmt.Sprintf("%d B", bytes)
	}
	at := -1
	for v >= step && at < len(names)-1 {
		v /= step
		at++
	}
	return fmt.Sprintf("%.1f %ciB", v, names[at])
}

// Seconds writes s with the unit that reads best.
func Seconds(s float64) string {
	switch {
	case s <= 0:
		return None
	case s < 0.9995:
		return Number(s*1e3, "%.3g ms")
	case s < 999.5:
		return Number(s, "%.3g s")
	default:
		return Number(s, "%.0f s")
	}
}

// Instant writes a time in UTC, None when there is none.
func Instant(t time.Time) string {
	if t.IsZero() {
		return None
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// OrNone replaces an empty text.
func OrNone[S ~string](s S) S {
	return OrElse(s, None)
}

// OrElse replaces an empty text by another.
func OrElse[S ~string](s, other S) S {
	if s == "" {
		return other
	}
	return s
}

// Rate writes packets/s with the unit that suits, for a line of text.
func Rate(pps float64) string {
	switch {
	case pps >= 999_950:
		return Number(pps/1e6, "%.2f Mpps")
	case pps >= 1e3:
		return Number(pps/1e3, "%.1f kpps")
	}
	return Number(pps, "%.0f pps")
}

// Time writes ns with the unit that suits, to three digits: "35.3 µs", "2.45 s".
func Time(ns float64) string {
	switch {
	case math.IsNaN(ns) || math.IsInf(ns, 0):
		return None
	case ns < 999_500:
		return threeDigits(ns/1e3) + " µs"
	case ns < 999_500_000:
		return threeDigits(ns/1e6) + " ms"
	}
	return threeDigits(ns/1e9) + " s"
}

// Plural writes a number of things: "1 session", "1,000 sessions".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%s %ss", Count(uint64(max(n, 0))), noun)
}

// LastLine is the last line of a text that is not blank, without the white space around it: what a
// program said last. It is "" where there is none.
func LastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

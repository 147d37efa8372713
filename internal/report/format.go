package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// notMeasured is shown for a value that is not known.
const notMeasured = "n/a"

// A unit writes a value; NaN and infinities come out as notMeasured.
type unit func(float64) string

func number(v float64, format string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return notMeasured
	}
	return fmt.Sprintf(format, v)
}

// kpps writes packets/s in thousands.
func kpps(pps float64) string { return number(pps/1e3, "%.2f") }

// mpps writes packets/s in millions.
func mpps(pps float64) string {
	if pps < 1e5 {
		return number(pps/1e6, "%.3f")
	}
	return number(pps/1e6, "%.2f")
}

// fineMpps writes packets/s in millions, to a hundredth of the rate or finer.
func fineMpps(pps float64) string {
	switch {
	case pps >= 1e6:
		return number(pps/1e6, "%.2f")
	case pps >= 1e5:
		return number(pps/1e6, "%.3f")
	default:
		return number(pps/1e6, "%.4f")
	}
}

// gbps writes bits/s in thousand millions.
func gbps(bps float64) string {
	if bps < 1e8 {
		return number(bps/1e9, "%.4f")
	}
	return number(bps/1e9, "%.2f")
}

// micros writes ns as microseconds with three digits.
func micros(ns float64) string {
	switch us := ns / 1e3; {
	case us >= 99.95:
		return number(us, "%.0f")
	case us >= 9.995:
		return number(us, "%.1f")
	default:
		return number(us, "%.2f")
	}
}

// millis writes ns as milliseconds, to the microsecond or finer.
func millis(ns float64) string {
	if ns < 1e5 {
		return number(ns/1e6, "%.4f")
	}
	return number(ns/1e6, "%.3f")
}

// nanos writes ns as they are.
func nanos(ns float64) string { return number(ns, "%.0f") }

// cores writes a share of cores, 1 being one core fully busy.
func cores(v float64) string { return number(v, "%.3f") }

// percent writes a ratio 0..1 without the sign, for columns headed "%".
func percent(ratio float64) string { return number(ratio*100, "%.2f") }

// lossRatio writes a ratio: small ones as 1.3e-5, larger ones as a percentage.
func lossRatio(ratio float64) string {
	switch {
	case ratio == 0:
		return "0"
	case math.Abs(ratio) < 0.001:
		return exponent(number(ratio, "%.1e"))
	case math.Abs(ratio) < 0.1:
		return number(ratio*100, "%.2f %%")
	default:
		return number(ratio*100, "%.1f %%")
	}
}

// exponent turns 1.3e-05 into 1.3e-5.
func exponent(s string) string { return strings.Replace(s, "e-0", "e-", 1) }

// count writes a number of packets with separators: "1,234,567".
func count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// size writes bytes in binary multiples.
func size(bytes uint64) string {
	const step = 1024
	v, units := float64(bytes), "KMGT"
	if bytes < step {
		return fmt.Sprintf("%d B", bytes)
	}
	at := -1
	for v >= step && at < len(units)-1 {
		v /= step
		at++
	}
	return fmt.Sprintf("%.1f %ciB", v, units[at])
}

// seconds writes s with the unit that reads best.
func seconds(s float64) string {
	switch {
	case s <= 0:
		return notMeasured
	case s < 0.9995:
		return number(s*1e3, "%.3g ms")
	default:
		return number(s, "%.3g s")
	}
}

// instant writes a time in UTC, notMeasured when there is none.
func instant(t time.Time) string {
	if t.IsZero() {
		return notMeasured
	}
	return t.UTC().Format("2006-01-02 15:04:05 UTC")
}

// orNone replaces an empty text.
func orNone(s string) string {
	if s == "" {
		return notMeasured
	}
	return s
}

// orElse replaces an empty text by another.
func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// Rate writes packets/s with the unit that suits, for a line of text.
func Rate(pps float64) string {
	switch {
	case pps >= 999_950:
		return number(pps/1e6, "%.2f Mpps")
	case pps >= 1e3:
		return number(pps/1e3, "%.1f kpps")
	}
	return number(pps, "%.0f pps")
}

// Time writes ns as microseconds, for a line of text.
func Time(ns float64) string { return micros(ns) + " µs" }

// Loss writes a frame loss ratio, for a line of text.
func Loss(ratio float64) string { return lossRatio(ratio) }

package threshold

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/analysis/figure"
)

// Limit is Factor times the figure of the DUT Of, plus Plus; without a DUT it is Plus.
type Limit struct {
	Of     string  // NAME[@BUILD][:MODE]; "": the limit is a value
	Factor float64 // of the other DUT's figure
	Plus   float64 // in the figure's unit
}

var (
	timesDUT   = regexp.MustCompile(`^([0-9.]+) ?\* ?(\S+)$`)
	percentDUT = regexp.MustCompile(`^([0-9.]+) ?% of (\S+)$`)
	plusDUT    = regexp.MustCompile(`^(\S+) ?\+ ?(\S+)$`)
	label      = regexp.MustCompile(`^[a-z][a-z0-9]*(@[A-Za-z0-9][A-Za-z0-9._-]*)?(:[A-Za-z0-9_.:/-]+)?$`)
)

// parseLimit reads what stands behind the operator.
func parseLimit(text string, f figure.Figure) (Limit, error) {
	if text == "" {
		return Limit{}, fmt.Errorf("the limit is missing: %s", example(f.Unit))
	}
	if slices.Contains([]string{"nan", "inf", "infinity"}, strings.ToLower(strings.TrimLeft(text, "+-"))) {
		return Limit{}, fmt.Errorf("%q is no limit: %s", text, example(f.Unit))
	}
	if m := timesDUT.FindStringSubmatch(text); m != nil {
		return share(m[1], 1, m[2])
	}
	if m := percentDUT.FindStringSubmatch(text); m != nil {
		return share(m[1], 100, m[2])
	}
	if m := plusDUT.FindStringSubmatch(text); m != nil && label.MatchString(m[1]) {
		plus, err := parseValue(m[2], f.Unit)
		return Limit{Of: m[1], Factor: 1, Plus: plus}, err
	}
	if label.MatchString(text) {
		return Limit{Of: text, Factor: 1}, nil
	}
	v, err := parseValue(text, f.Unit)
	if err == nil && f.Unit == figure.Ratio && v > 1 {
		return Limit{}, fmt.Errorf("%s is above 100 %%, which nothing is: %s", text, example(f.Unit))
	}
	return Limit{Plus: v}, err
}

func share(number string, whole float64, dut string) (Limit, error) {
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || n <= 0 {
		return Limit{}, fmt.Errorf("%q is not a number above 0", number)
	}
	if !label.MatchString(dut) {
		return Limit{}, fmt.Errorf("%q is not a DUT: write NAME, NAME:MODE or NAME@BUILD:MODE, as in 0.8 * wire", dut)
	}
	return Limit{Of: dut, Factor: n / whole}, nil
}

var valueParts = regexp.MustCompile(`^([0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?) ?([A-Za-zµμ%/]*)$`)

// parseValue reads a number with a unit; a rate needs none, a time does.
func parseValue(text string, unit figure.Unit) (float64, error) {
	m := valueParts.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a limit: %s", text, example(unit))
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a number: %s", m[1], example(unit))
	}
	factor, err := factorOf(m[2], unit)
	if err != nil {
		return 0, fmt.Errorf("%q: %w: %s", text, err, example(unit))
	}
	return v * factor, nil
}

var errUnit = errors.New("the unit does not fit")

// factorOf is what a number with that suffix is multiplied by.
func factorOf(suffix string, unit figure.Unit) (float64, error) {
	if unit == figure.Nanos && suffix == "" {
		return 0, errors.New("a time needs a unit")
	}
	for _, s := range suffixes(unit) {
		if s.name == strings.ReplaceAll(suffix, "μ", "µ") {
			return s.factor, nil
		}
	}
	return 0, errUnit
}

type suffix struct {
	name   string
	factor float64
}

func suffixes(unit figure.Unit) []suffix {
	decimal := []suffix{{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}}
	switch unit {
	case figure.PPS:
		return append(decimal, suffix{"pps", 1}, suffix{"kpps", 1e3}, suffix{"Mpps", 1e6})
	case figure.BPS:
		return append(decimal, suffix{"bit/s", 1}, suffix{"kbit/s", 1e3}, suffix{"Mbit/s", 1e6},
			suffix{"Gbit/s", 1e9}, suffix{"bps", 1}, suffix{"Mbps", 1e6}, suffix{"Gbps", 1e9})
	case figure.Nanos:
		return []suffix{{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}
	case figure.Seconds:
		return []suffix{{"", 1}, {"us", 1e-6}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}}
	case figure.Ratio:
		return []suffix{{"", 1}, {"%", 0.01}}
	case figure.Bytes:
		return append(decimal, suffix{"kB", 1e3}, suffix{"MB", 1e6}, suffix{"GB", 1e9}, suffix{"KiB", 1 << 10},
			suffix{"MiB", 1 << 20}, suffix{"GiB", 1 << 30})
	case figure.Count, figure.Rate:
		return decimal
	}
	return decimal[:1]
}

// example says how a limit of a unit is written.
func example(unit figure.Unit) string {
	texts := map[figure.Unit]string{figure.PPS: "1M or 500k", figure.BPS: "10G or 800Mbit/s",
		figure.Nanos: "100us, 800ns or 2ms", figure.Seconds: "2s or 500ms",
		figure.Ratio: "0.1% or 0.001", figure.Bytes: "512MiB", figure.Cores: "0.8", figure.Count: "0 or 10k"}
	text := texts[unit]
	if text == "" {
		text = "a number"
	}
	return "write " + text + ", or another DUT's: 80% of wire, 1.1 * eupf:native, wire"
}

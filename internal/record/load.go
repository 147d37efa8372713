package record

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Load is an offered load: a rate, as fast as the generator can, or a share of a
// rate that was found. It is written as scenarios and reports show it: "150k",
// "max", "recorded", "auto", "10 % of NDR", "10 % of NDR of eupf:native", "90 % soak".
type Load struct {
	// PPS is the rate, packets/s; 0: as fast as the generator can, or a rate that is
	// known only in the run.
	PPS      float64
	Recorded bool    // the rate of the capture that is replayed
	Auto     bool    // the run chooses the loads by what the DUT carries
	Share    float64 // of the rate Of, 0..1; 0: the rate was given
	Of       Goal    // what Share is a share of; without a share, the goal of a search
	OfDUT    string  // the DUT whose rate it is, when that is another one
	Soak     bool    // of a soak
	// Verified is true of a goal that was looked for with loss verification (ETSI GS
	// NFV-TST 009), which makes it another figure than RFC 2544's.
	Verified bool
}

// Max reports whether the load is unpaced.
func (l Load) Max() bool { return l.PPS == 0 && !l.Recorded && !l.Auto && l.Share == 0 && l.Of == "" }

// Relative reports whether the load is a share of a rate that was found for this
// DUT, and so another rate in each run.
func (l Load) Relative() bool { return l.Share > 0 && l.OfDUT == "" }

const (
	recorded  = "recorded"
	automatic = "auto"
	unpaced   = "max"
	soakEnd   = " soak"
	shareOf   = " % of "
	shareSoak = " % soak"
)

// String gives the text of the load. A rate has the shortest form that reads back
// to the same number: "150k", "1.5M".
func (l Load) String() string {
	switch {
	case l.Share > 0 && l.Soak:
		return fmt.Sprintf("%.4g%s", 100*l.Share, shareSoak)
	case l.Share > 0 && l.OfDUT != "":
		return fmt.Sprintf("%.0f%s%s of %s", 100*l.Share, shareOf, l.Of.Title(), l.OfDUT)
	case l.Share > 0:
		return fmt.Sprintf("%.0f%s%s", 100*l.Share, shareOf, l.Of.Title())
	case l.Verified:
		return string(l.Of) + " (TST 009)"
	case l.Of != "":
		return string(l.Of)
	case l.Soak:
		return rateText(l.PPS) + soakEnd
	case l.Recorded:
		return recorded
	case l.Auto:
		return automatic
	case l.Max():
		return unpaced
	}
	return rateText(l.PPS)
}

// MarshalText writes String.
func (l Load) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what String writes; of a share the rate stays unknown.
func (l *Load) UnmarshalText(text []byte) error {
	s := string(text)
	*l = Load{}
	if share, of, ok := strings.Cut(s, shareOf); ok {
		return l.readShare(share, of)
	}
	if share, ok := strings.CutSuffix(s, shareSoak); ok {
		l.Soak = true
		return l.readShare(share, "")
	}
	if s, l.Soak = strings.CutSuffix(s, soakEnd); s == unpaced {
		return nil
	}
	if l.Recorded, l.Auto = s == recorded, s == automatic; l.Recorded || l.Auto {
		return nil
	}
	pps, err := ParsePPS(s)
	if err != nil {
		*l = Load{Of: Goal(s)}
		return nil
	}
	l.PPS = pps
	return nil
}

func (l *Load) readShare(percent, of string) error {
	share, err := strconv.ParseFloat(percent, 64)
	if err != nil || share <= 0 {
		return fmt.Errorf("load %q: the share is not a number above 0", percent+shareOf+of)
	}
	l.Share = share / 100
	goal, dut, _ := strings.Cut(of, " of ")
	l.Of, l.OfDUT = goalTitled(goal), dut
	return nil
}

// The ways in which a text is not a rate.
var (
	ErrRateUnit = errors.New("a rate is in packets/s, written 150000, 150k, 1.5M or 960kpps")
	ErrRate     = errors.New("write 150000, 150k, 1.5M or 960kpps")
)

// ParsePPS reads a rate in packets/s: "150000", "150k", "1.5M", "960kpps". The
// factors are decimal. An error is ErrRate or ErrRateUnit.
func ParsePPS(text string) (float64, error) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(text)
	}
	number, unit := text[:end], strings.TrimSpace(text[end:])
	exponent, known := rateExponents[strings.TrimSpace(strings.TrimSuffix(unit, "pps"))]
	if !known && number != "" {
		return 0, ErrRateUnit
	}
	pps, err := strconv.ParseFloat(number+exponent, 64)
	if err != nil || strings.Trim(strings.Replace(number, ".", "", 1), "0123456789") != "" {
		return 0, ErrRate
	}
	return pps, nil
}

// rateExponents are the decimal factors of a rate.
var rateExponents = map[string]string{"": "", "k": "e3", "K": "e3", "M": "e6", "G": "e9"}

// rateText is the shortest text that ParsePPS reads back to the same rate.
func rateText(pps float64) string {
	if math.IsNaN(pps) || math.IsInf(pps, 0) {
		return "an unknown rate"
	}
	best := strconv.FormatFloat(pps, 'f', -1, 64)
	for _, unit := range []struct {
		name  string
		value float64
	}{{"k", 1e3}, {"M", 1e6}, {"G", 1e9}} {
		text := strconv.FormatFloat(pps/unit.value, 'f', -1, 64) + unit.name
		back, err := ParsePPS(text)
		if err == nil && back == pps && pps >= unit.value && len(text) < len(best) {
			best = text
		}
	}
	return best
}

package record

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Load is an offered load: a rate, as fast as the generator can, or a share of a
// rate that was found. It is written as scenarios and reports show it: "150k",
// "max", "recorded", "auto", "10 % of NDR", "10 % of NDR of eupf:native", "90 % soak".
type Load struct {
	// PPS is the rate, packets/s; 0: as fast as the generator can, or a rate that is
	// known only in the run.
	PPS   float64
	Kind  LoadKind
	Share float64 // of the rate Of, 0..1; 0: the rate was given
	Of    Goal    // what Share is a share of; without a share, the goal of a search
	OfDUT string  // the DUT whose rate it is, when that is another one
	Soak  bool    // of a soak
	// Verified is true of a goal that was looked for with loss verification (ETSI GS
	// NFV-TST 009), which makes it another figure than RFC 2544's.
	Verified bool
}

// LoadKind is who says what the rate of a load is.
type LoadKind string

// The kinds of loads.
const (
	LoadGiven    LoadKind = ""         // the scenario, by PPS or Share
	LoadRecorded LoadKind = "recorded" // the capture that is replayed
	LoadAuto     LoadKind = "auto"     // the run chooses the loads by what the DUT carries
)

// Max reports whether the load is unpaced.
func (l Load) Max() bool { return l.PPS == 0 && l.Kind == LoadGiven && l.Share == 0 && l.Of == "" }

// Relative reports whether the load is a share of a rate that was found for this
// DUT, and so another rate in each run.
func (l Load) Relative() bool { return l.Share > 0 && l.OfDUT == "" }

const (
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
	case l.Kind != LoadGiven:
		return string(l.Kind)
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
	if kind := LoadKind(s); kind == LoadRecorded || kind == LoadAuto {
		l.Kind = kind
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

// Order is the order in which the DUTs were visited: repeats are randomised complete blocks,
// of which each second one is the reverse of the one before, by a seed.
type Order struct {
	Seed uint64 `json:"seed"`
	// Visits are the labels of the DUTs, by repeat, in the order of their visits.
	Visits [][]string `json:"visits"`
}

// Visit notes a visit in a repeat, from 1.
func (o *Order) Visit(repeat int, label string) {
	for len(o.Visits) < repeat {
		o.Visits = append(o.Visits, nil)
	}
	o.Visits[repeat-1] = append(o.Visits[repeat-1], label)
}

// Before reports whether DUT a was visited before b in a repeat, from 1; known is false where
// one of them was not visited then, or the result is from before orders were kept.
func (o *Order) Before(repeat int, a, b string) (before, known bool) {
	if o == nil || repeat < 1 || repeat > len(o.Visits) {
		return false, false
	}
	first, second := slices.Index(o.Visits[repeat-1], a), slices.Index(o.Visits[repeat-1], b)
	return first < second, first >= 0 && second >= 0
}

// Direction of user traffic.
type Direction string

// The directions: uplink is N3 to N6. Both is the two at once: every second packet
// is an uplink one, and a load is the sum.
const (
	Uplink   Direction = "uplink"
	Downlink Direction = "downlink"
	Both     Direction = "both"
)

// Each gives the directions that packets take: both is uplink and downlink.
func (d Direction) Each() []Direction {
	if d == Both {
		return []Direction{Uplink, Downlink}
	}
	return []Direction{d}
}

// SizeName is the size as the scenario writes it, or the payload where a result does not name it.
func (p PacketSize) SizeName() string {
	if p.Size != "" {
		return p.Size
	}
	return strconv.Itoa(p.PayloadBytes)
}

// Class is what became of a class of traffic in a trial of one direction: of the sessions
// that have one QFI and are in one slice. Disturbed time is in its counts and latencies.
type Class struct {
	Class     string  `json:"class"` // "QFI 5"
	Sessions  int     `json:"sessions"`
	TxPackets uint64  `json:"tx_packets"`
	TxPPS     float64 `json:"tx_pps"` // its share of the trial's
	// FrameLossRatio is (tx - rx) / tx of its sessions in the windows that count, 0..1: what
	// was lost there is split among the classes as what was lost in the whole trial.
	FrameLossRatio float64 `json:"frame_loss_ratio"`
	// Latency is that of a sample of the packets, from the intended send time to where they
	// go out of the DUT; AtDUT from where they come in there. nil: not timed.
	Latency *Latency `json:"latency_ns,omitempty"`
	AtDUT   *Latency `json:"at_dut_ns,omitempty"`
}

// Place is where packets were lost, as reports name it. Each UPF has places of its
// own besides these.
type Place string

// The places that every deployment has.
const (
	PlaceUPFRing      Place = "receive ring of the UPF"
	PlaceUPFProgram   Place = "XDP program of the UPF: drop"
	PlaceBridgeBefore Place = "receive ring of the bridge before the UPF"
	PlaceBridgeBehind Place = "receive ring of the bridge behind the UPF"
	PlaceSinkRing     Place = "receive ring of the sink"
	PlaceSinkSocket   Place = "receive ring of the sink (packet socket)"
	PlaceKernelPrefix Place = "UPF's kernel: " // before the kernel's own reason
)

// Side is whose loss a place is.
type Side string

// The sides of a place.
const (
	SideLink Side = "link" // in front of the DUT
	SideDUT  Side = "dut"  // inside it
	SideSink Side = "sink" // in front of our own receiver
)

package record

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Load is an offered load: what Kind says. It is written as scenarios and reports show it: "150k",
// "max", "recorded", "auto", "10 % of NDR", "10 % of NDR of eupf:native", "90 % soak".
type Load struct {
	Kind LoadKind
	// PPS is the rate, packets/s; 0: as fast as the generator can, or a rate that is
	// known only in the run.
	PPS   float64
	Share float64 // of the rate Of, 0..1, which a LoadShare has and a LoadSoak may have; 0: the rate was given
	Of    Goal    // what a LoadShare is a share of, or the goal of a search
	OfDUT string  // the DUT whose rate a LoadShare is a share of, when that is another one
}

// LoadKind is what fixes the rate of a load.
type LoadKind string

// The kinds of loads.
const (
	LoadRate     LoadKind = ""         // the scenario, by PPS; 0: as fast as the generator can
	LoadRecorded LoadKind = "recorded" // the capture that is replayed
	LoadAuto     LoadKind = "auto"     // the run, by what the DUT carries
	LoadShare    LoadKind = "share"    // a search, which found the rate Of that this is a Share of
	LoadSoak     LoadKind = "soak"     // as LoadRate, or as a Share of what the DUT carried, for a soak
	LoadGoal     LoadKind = "goal"     // a search: it is the rate Of itself
	// LoadVerifiedGoal is a LoadGoal that was looked for with loss verification (ETSI GS NFV-TST 009),
	// which makes it another figure than RFC 2544's.
	LoadVerifiedGoal LoadKind = "verified goal"
)

// Max reports whether the load is unpaced.
func (l Load) Max() bool { return l == Load{} }

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
	switch l.Kind {
	case LoadRecorded, LoadAuto:
		return string(l.Kind)
	case LoadShare:
		share := fmt.Sprintf("%.0f%s%s", 100*l.Share, shareOf, l.Of.Title())
		if l.OfDUT != "" {
			share += " of " + l.OfDUT
		}
		return share
	case LoadSoak:
		if l.Share > 0 {
			return fmt.Sprintf("%.4g%s", 100*l.Share, shareSoak)
		}
		return rateText(l.PPS) + soakEnd
	case LoadGoal:
		return string(l.Of)
	case LoadVerifiedGoal:
		return string(l.Of) + " (TST 009)"
	}
	if l.Max() {
		return unpaced
	}
	return rateText(l.PPS)
}

// MarshalText writes String.
func (l Load) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what String writes; of a share the rate stays unknown.
func (l *Load) UnmarshalText(text []byte) error {
	s := string(text)
	if share, of, ok := strings.Cut(s, shareOf); ok {
		return l.readShare(LoadShare, share, of)
	}
	if share, ok := strings.CutSuffix(s, shareSoak); ok {
		return l.readShare(LoadSoak, share, "")
	}
	*l = Load{}
	switch kind := LoadKind(s); {
	case s == unpaced:
		return nil
	case kind == LoadRecorded, kind == LoadAuto:
		l.Kind = kind
		return nil
	}
	s, soak := strings.CutSuffix(s, soakEnd)
	pps, err := ParsePPS(s)
	switch {
	case err != nil:
		l.Kind, l.Of = LoadGoal, Goal(s)
	case soak:
		l.Kind, l.PPS = LoadSoak, pps
	default:
		l.PPS = pps
	}
	return nil
}

func (l *Load) readShare(kind LoadKind, percent, of string) error {
	share, err := strconv.ParseFloat(percent, 64)
	if err != nil || share <= 0 {
		return fmt.Errorf("load %q: the share is not a number above 0", percent+shareOf+of)
	}
	goal, dut, _ := strings.Cut(of, " of ")
	*l = Load{Kind: kind, Share: share / 100, Of: goalTitled(goal), OfDUT: dut}
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
	PlaceLinkDown     Place = "link that was down"
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

// Package published holds the figures of published measurements of UPFs, as
// their authors give them: a file for each study, with the conditions under
// which each figure was taken and what speaks against it.
//
// They are shown next to a result and never become part of it: the machine and the
// version differ, and usually the quantity too.
package published

// Kinds of measurement.
const (
	KindLoad     = "load"     // received at an offered load, between the UPF's own interfaces
	KindLatency  = "latency"  // delay between the UPF's own interfaces
	KindGoodput  = "goodput"  // what an application carried end to end, through a RAN or a simulation of one
	KindResource = "resource" // CPU or memory of the UPF
)

// Quantities that upflab measures, too.
const (
	TxRate       = "tx_rate" // packets/s
	RxRate       = "rx_rate"
	TxL2         = "tx_l2" // bits/s
	RxL2         = "rx_l2"
	GeneratorCPU = "generator_cpu"
	LatencyAvg   = "latency_avg"
	LatencyMax   = "latency_max"
	LatencyMin   = "latency_min"
)

// Study is what one publication measured.
type Study struct {
	Source Source `json:"study"`
	// Scenario is the built-in scenario that repeats it; "" where none can.
	Scenario     string            `json:"scenario"`
	Conditions   Conditions        `json:"conditions"`
	Remarks      []string          `json:"remarks"`     // what speaks against its figures as a whole
	Differences  []string          `json:"differences"` // in what its scenario differs from it
	Repeats      map[string]Repeat `json:"repeats"`     // by the names that its measurements have for them
	Measurements []Measurement     `json:"measurements"`
}

// How far a measurement is repeated.
const (
	Repeated = "repeated" // same UPF, mode, direction, payload, sessions and load, within 5 %
	InPart   = "in part"
	NotAt    = "not"
)

// Repeat is what upflab repeats of measurements.
type Repeat struct {
	How     string `json:"how"`
	Command string `json:"command"` // that takes the figures; "" when none was taken
	Text    string `json:"text"`    // in what it differs beyond machine, version and duration, or why there is none
}

// Repeat says how far a measurement of the study is repeated.
func (s *Study) Repeat(m *Measurement) Repeat { return s.Repeats[m.RepeatedBy] }

// Count is how many measurements are repeated so far.
func Count(all []Study, how string) (n int) {
	for i := range all {
		for j := range all[i].Measurements {
			if all[i].Repeat(&all[i].Measurements[j]).How == how {
				n++
			}
		}
	}
	return n
}

// Source cites it.
type Source struct {
	Key     string `json:"key"` // its file's name
	Authors string `json:"authors"`
	Title   string `json:"title"`
	Year    int    `json:"year"`
	URL     string `json:"url"`
}

// Conditions are those of all its measurements; 0: not reported, or several.
type Conditions struct {
	Hardware     string  `json:"hardware"`
	Tool         string  `json:"tool"`
	Traffic      string  `json:"traffic"`
	Gbps         string  `json:"gbps"`          // what its bits/s count
	PayloadBytes int     `json:"payload_bytes"` // UDP payload of the inner packet
	Sessions     int     `json:"sessions"`
	DurationS    float64 `json:"duration_s"`
	Repeats      int     `json:"repeats"`
}

// Measurement is the figures of one UPF, in one direction, at one load.
type Measurement struct {
	DUT     string `json:"dut"`    // as the study names it
	Driver  string `json:"driver"` // upflab's DUT; "" none
	Mode    string `json:"mode"`   // its mode; "": not reported
	Version string `json:"version"`
	Kind    string `json:"kind"`
	// Direction is "uplink" or "downlink".
	Direction string `json:"direction"`
	// OfferedPPS was asked for, SentPPS was reached, packets/s; 0: not a load in
	// packets/s, or not reported.
	OfferedPPS float64  `json:"offered_pps"`
	SentPPS    float64  `json:"sent_pps"`
	DurationS  float64  `json:"duration_s"` // 0: as the study's Conditions
	Conditions string   `json:"conditions"` // more of them
	RepeatedBy string   `json:"repeat"`     // its name in the study's Repeats
	Ours       string   `json:"ours"`       // the figure that was taken; "" none
	Validity   string   `json:"validity"`   // what must be known before the figure is used
	Figures    []Figure `json:"figures"`
}

// Figure is one number as it was published.
type Figure struct {
	Quantity  string  `json:"quantity"`
	Qualifier string  `json:"qualifier"` // "about", "over", "at least", "at most"; "": as given
	Value     float64 `json:"value"`
	Unit      string  `json:"unit"` // "kpps", "Gbit/s", "Mbit/s", "%", "ms"
}

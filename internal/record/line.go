package record

// Line is a physical link that a trial's packets of one direction cross, and what it carries
// of them.
type Line struct {
	Link       string    `json:"link"`      // "n3" | "n6"
	Direction  Direction `json:"direction"` // of the packets: each way is a line
	BitsPerS   uint64    `json:"bits_per_s"`
	FrameBytes int       `json:"frame_bytes"` // mean, Ethernet header on, no FCS
	Share      float64   `json:"share"`       // of the trial's packets that cross it
	// PPS is the line rate in frames of that length, packets/s.
	PPS float64 `json:"line_rate_pps"`
	// SerialisationNS is how long one takes onto the link, from the first bit of the preamble to
	// the last of the FCS, ns. What forwards a frame as a whole waits that long before.
	SerialisationNS float64 `json:"serialisation_ns"`
}

// What Ethernet adds to a frame without its FCS, octets (IEEE 802.3 clauses 3.1.1 and 4.4.2).
const (
	fcsBytes      = 4
	preambleBytes = 8 // with the delimiter
	gapBytes      = 12
	leastFrame    = 60 // shorter ones are padded
)

// NewLine is a link of some bits/s with frames of a length on it, a share of the trial's.
func NewLine(link string, d Direction, bitsPerS uint64, frame int, share float64) Line {
	onWire := max(frame, leastFrame) + fcsBytes + preambleBytes
	bits := func(octets int) float64 { return float64(8*octets) / float64(bitsPerS) }
	return Line{Link: link, Direction: d, BitsPerS: bitsPerS, FrameBytes: frame, Share: share,
		PPS: 1 / bits(onWire+gapBytes), SerialisationNS: 1e9 * bits(onWire)}
}

// LineRatePPS is the offered load at which the first of the trial's lines is full, packets/s;
// all packets together. 0: no line is known.
func (t *Trial) LineRatePPS() (pps float64) {
	for _, l := range t.Lines {
		if full := l.PPS / l.Share; pps == 0 || full < pps {
			pps = full
		}
	}
	return pps
}

package offload

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Merger joins packets of a flow that the kernel can cut again into what they were:
// as many system calls and as many ways through the kernel's stack fewer. Nothing is
// copied. It is one goroutine's.
type Merger struct {
	// TCPOnly leaves UDP as it is, for a kernel that does not cut it.
	TCPOnly bool

	runs   []Run
	latest [places]place // run of a flow, by a hash of the flow
	epoch  uint32        // of the places: since Reset
}

// place is where a flow's latest run is, if the epoch is the merger's; else it is free.
type place struct{ epoch, run uint32 }

const (
	// places is more than there are packets in a batch.
	places = 4096
	// probes is in how many places a flow may be.
	probes = 8
)

// MaxParts is how many packets a run has at most.
const MaxParts = 64

// Run is packets that are handed over as one.
type Run struct {
	// Parts is the first packet and the payloads of those after it.
	Parts [][]byte

	flow    flow
	octets  int  // of all parts
	checked bool // the first packet's checksum was right
	closed  bool
	pushed  bool   // the last that joined has PSH
	next    uint32 // TCP's next sequence number
}

const octetsMax = 65535

// Add takes an IPv4 packet that is as long as its header says. It belongs to the
// merger until Reset, and Runs may change its headers. It says whether the packet began a run.
func (m *Merger) Add(ip []byte) (began bool) {
	f := flowOf(ip)
	if m.TCPOnly && !f.tcp {
		f.mergeable = false
	}
	at, r := m.find(&f)
	if r != nil && f.mergeable && r.join(&f, ip) {
		return false
	}
	*at = place{m.epoch, uint32(len(m.runs))}
	m.start(f, ip)
	return true
}

// find gives the place of a flow, and its latest run: nothing may overtake its packets. nil:
// it has none, or that is not known any more.
func (m *Merger) find(f *flow) (*place, *Run) {
	first := f.hash()
	for i := range uint64(probes) {
		at := &m.latest[(first+i)%places]
		if at.epoch != m.epoch || int(at.run) >= len(m.runs) {
			return at, nil
		}
		if r := &m.runs[at.run]; r.flow.key == f.key {
			return at, r
		}
	}
	return &m.latest[first%places], nil
}

// start begins a run, in memory that was a run's before where there is some.
func (m *Merger) start(f flow, ip []byte) {
	if len(m.runs) < cap(m.runs) {
		m.runs = m.runs[:len(m.runs)+1]
	} else {
		m.runs = append(m.runs, Run{})
	}
	r := &m.runs[len(m.runs)-1]
	*r = Run{Parts: append(r.Parts[:0], ip), flow: f, octets: len(ip), closed: !f.mergeable || f.push}
	r.next = f.sequence + uint32(f.payload)
}

// join adds a packet of the run's flow; false: it does not fit.
func (r *Run) join(f *flow, ip []byte) bool {
	first := r.Parts[0]
	switch {
	case r.closed || len(r.Parts) == MaxParts || r.octets+f.payload > octetsMax:
	case f.payload > r.flow.payload || f.headers != r.flow.headers || f.shape != r.flow.shape:
	case !f.unnumbered && f.id != r.flow.id+uint16(len(r.Parts)):
	case f.tcp && (f.sequence != r.next || string(ip[40:f.headers]) != string(first[40:f.headers])):
	case !r.checked && !rightSum(first, &r.flow), !rightSum(ip, f):
	default:
		r.checked = true
		r.Parts = append(r.Parts, ip[f.headers:])
		r.octets += f.payload
		r.next += uint32(f.payload)
		r.closed = f.push || f.payload < r.flow.payload
		r.pushed = f.push
		return true
	}
	r.closed = true
	return false
}

// Runs gives what was added, in the order of each run's first packet. The headers
// of runs of several packets are changed, so that they go with the run's Header.
func (m *Merger) Runs() []Run {
	for i := range m.runs {
		if r := &m.runs[i]; len(r.Parts) > 1 {
			r.rewrite()
		}
	}
	return m.runs
}

// rewrite makes the first packet's headers those of all together.
func (r *Run) rewrite() {
	ip := r.Parts[0]
	if !r.flow.tcp {
		LeadUDP(ip, r.octets-28)
		return
	}
	if r.pushed {
		ip[33] |= tcpPSH
	}
	binary.BigEndian.PutUint16(ip[2:], uint16(r.octets))
	checksum.SealIPv4(ip)
	checksum.Put(ip[20+tcpSumAt:], checksum.Fold(pseudo(ip, 4, protocolTCP, r.octets-20)))
}

// LeadUDP makes the headers of an IPv4 packet without options those of several datagrams with
// so many octets of payload together, as the kernel wants them of what it cuts.
func LeadUDP(ip []byte, payload int) {
	binary.BigEndian.PutUint16(ip[2:], uint16(28+payload))
	checksum.SealIPv4(ip)
	binary.BigEndian.PutUint16(ip[24:], uint16(8+payload))
	checksum.Put(ip[20+udpSumAt:], checksum.Fold(pseudo(ip, 4, protocolUDP, 8+payload)))
}

// Header is what is to be before the run, behind octets of link layer headers.
func (r *Run) Header(link int) Header {
	if len(r.Parts) < 2 {
		return Header{}
	}
	h := Header{Flags: NeedsChecksum, GSO: GSOUDP, HeaderBytes: uint16(link + r.flow.headers), SegmentBytes: uint16(r.flow.payload),
		SumFrom: uint16(link + 20), SumAt: udpSumAt}
	if r.flow.tcp {
		h.GSO, h.SumAt = GSOTCPv4, tcpSumAt
	}
	return h
}

// Packets is how many packets were added to the run.
func (r *Run) Packets() int { return len(r.Parts) }

// Reset forgets the packets.
func (m *Merger) Reset() {
	m.runs = m.runs[:0]
	m.epoch++
}

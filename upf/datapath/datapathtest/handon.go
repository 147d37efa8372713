package datapathtest

import (
	"encoding/binary"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Marking is the type of service that the outer headers of HandingOn's uplink packets have.
const Marking = 0xb8

// HandingOn is Intermediate's session with copies of what goes uplink, which is marked, and
// with a UE that is not there for what comes from the core.
func HandingOn() *session.Rules {
	r := Intermediate()
	up, down := r.FindFAR(1), r.FindFAR(2)
	up.Action |= session.Duplicate
	up.Marking, up.Copies = Marking, []session.Copy{{OuterHeader: *up.Outer}}
	down.Action = session.Buffer
	return r
}

// CheckHandingOn has a datapath with HandingOn's session take frames, and wants that it
// hands on what it should. forward gives the frame that leaves, nil for none; next gives
// what was handed on.
func CheckHandingOn(t *testing.T, forward func(frame []byte) []byte, next func() datapath.Held) {
	for _, f := range RelayFrames(t) {
		switch f.Name {
		case "uplink_keeps_its_QFI":
			out := forward(f.In)
			if len(out) < 34 || out[15] != Marking || !isHeader(out[14:34]) {
				t.Errorf("%s: sent %x, want it with type of service %#x and a right checksum", f.Name, out, Marking)
			}
			if h := next(); !h.Copy || h.SEID != 77 || h.PDR != 1 || h.QFI != 5 || h.RQI {
				t.Errorf("%s: handed on %+v, want a copy of PDR 1 with QFI 5", f.Name, h)
			}
		case "downlink_keeps_QFI_and_RQI":
			if out := forward(f.In); out != nil {
				t.Errorf("%s: sent %x", f.Name, out)
			}
			if h := next(); h.Copy || h.SEID != 77 || h.PDR != 2 || h.QFI == 0 || !h.RQI || h.TPDU[0] != 0x45 {
				t.Errorf("%s: handed on %+v, want a packet of PDR 2 with its QFI and RQI", f.Name, h)
			}
		}
	}
}

// isHeader reports whether an IPv4 header's checksum is right.
func isHeader(ip []byte) bool {
	sum := uint32(0)
	for i := 0; i < len(ip); i += 2 {
		sum += uint32(binary.BigEndian.Uint16(ip[i:]))
	}
	return sum&0xffff+sum>>16 == 0xffff
}

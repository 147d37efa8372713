package datapathtest

import (
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/upflab/upflab/upf/session"
)

// Frame is a frame and what becomes of it: one of those that package xdp's
// testdata/gen.py made with scapy. Every datapath does the same to it.
type Frame struct {
	Name    string
	Program string // where it comes in: n3 or n6
	Frame   string // hex
	Verdict string // drop, pass or redirect
	Out     string // hex; what leaves
	Reason  string // datapath.Reason's, when it is dropped
}

// Frames reads the frames.
func Frames(t testing.TB) []Frame {
	t.Helper()
	b, err := os.ReadFile(File(t, "upf/datapath/xdp/testdata/frames.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []Frame
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Input is the frame that comes in.
func (f Frame) Input(t testing.TB) []byte { return decode(t, f.Frame) }

// Output is the frame that leaves. Ethernet padding is passed on by XDP alone: it is
// cut off.
func (f Frame) Output(t testing.TB) []byte {
	b := decode(t, f.Out)
	switch f.Name {
	case "n6 ethernet padding":
		return b[:14+int(b[16])<<8+int(b[17])]
	case "n3 ipv6 shorter than gtp":
		return b[:len(b)-2]
	}
	return b
}

func decode(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// pair is a session of an uplink and a downlink PDR.
func pair(seid uint64, ue string, teid uint32, change func(*session.Rules)) *session.Rules {
	var address netip.Addr
	if ue != "" {
		address = netip.MustParseAddr(ue)
	}
	r := &session.Rules{
		SEID: seid,
		PDRs: []session.PDR{
			{ID: 1, FAR: 1, RemoveOuterHeader: true,
				PDI: session.PDI{Source: session.Access, TEID: teid, HasTEID: true, UE: address}},
			{ID: 2, FAR: 2, PDI: session.PDI{Source: session.Core, UE: address}},
		},
		FARs: []session.FAR{
			{ID: 1, Action: session.Forward, Destination: session.Core},
			{ID: 2, Action: session.Forward, Destination: session.Access,
				Outer: &session.OuterHeader{TEID: teid + 1, Peer: netip.MustParseAddr("192.0.2.2")}},
		},
	}
	if change != nil {
		change(r)
	}
	return r
}

func withQER(q session.QER) func(*session.Rules) {
	return func(r *session.Rules) {
		q.ID = 1
		r.QERs = []session.QER{q}
		r.PDRs[0].QERs, r.PDRs[1].QERs = []uint32{1}, []uint32{1}
	}
}

func withPeer(peer string) func(*session.Rules) {
	return func(r *session.Rules) { r.FARs[1].Outer.Peer = netip.MustParseAddr(peer) }
}

func dropAll(r *session.Rules) {
	r.FARs[0].Action = session.Drop
	r.FARs[1] = session.FAR{ID: 2, Action: session.Drop}
}

// anyUEWithQFI9 has an uplink PDR by TEID and QFI alone, marks downlink 63.
func anyUEWithQFI9(r *session.Rules) {
	withQER(session.QER{QFI: 63, GateUL: true, GateDL: true})(r)
	r.PDRs[0].PDI.UE = netip.Addr{}
	r.PDRs[0].PDI.QFIs = session.QFIs(9)
}

// paged has a Paging Policy Indicator in another QER than that with the QFI.
func paged(marks session.QER, ppi session.PPI) func(*session.Rules) {
	return func(r *session.Rules) {
		marks.ID, marks.GateUL, marks.GateDL = 1, true, true
		r.QERs = []session.QER{marks, {ID: 2, PPI: ppi, GateUL: true, GateDL: true}}
		r.PDRs[0].QERs, r.PDRs[1].QERs = []uint32{1, 2}, []uint32{1, 2}
	}
}

// buffered has downlink packets wait for the UE.
func buffered(r *session.Rules) { r.FARs[1].Action = session.Buffer | session.Notify }

// closed has downlink packets neither pass nor wait.
func closed(r *session.Rules) {
	withQER(session.QER{QFI: 1, GateUL: true})(r)
	buffered(r)
}

// counted has both directions counted by two URRs, of which the second has the limits.
func counted(l session.Limits) func(*session.Rules) {
	return func(r *session.Rules) {
		r.URRs = []session.URR{{ID: 1}, {ID: 2, Limits: l}}
		r.PDRs[0].URRs, r.PDRs[1].URRs = []uint32{1, 2}, []uint32{2, 1}
	}
}

// FrameSessions are the sessions that the frames are for.
func FrameSessions() []*session.Rules {
	return append([]*session.Rules{
		pair(1, "10.45.0.2", 1, withQER(session.QER{QFI: 1, GateUL: true, GateDL: true})),
		pair(2, "10.45.0.3", 3, nil),
		pair(3, "10.45.0.4", 5, dropAll),
		pair(4, "10.45.0.5", 7, withQER(session.QER{QFI: 1})),
		pair(5, "10.45.0.6", 9, anyUEWithQFI9),
		pair(6, "10.45.0.7", 11, withPeer("203.0.113.9")),
		pair(7, "10.45.0.8", 13, withPeer("192.0.2.77")),
		pair(8, "10.45.0.9", 15, filtered),
		pair(9, "10.45.0.10", 17, withQER(session.QER{QFI: 4, GateUL: true, GateDL: true, MBRUL: 1e11, MBRDL: 1e11})),
		pair(10, "10.45.0.11", 19, buffered),
		pair(11, "10.45.0.12", 21, counted(session.Limits{})),
		pair(12, "10.45.0.13", 23, counted(session.Limits{Closed: true})),
		pair(24, "10.45.0.15", 47, paged(session.QER{QFI: 9}, session.PPIOf(5))),
		pair(25, "10.45.0.16", 49, paged(session.QER{QFI: 63, RQI: true}, session.PPIOf(0))),
		pair(26, "10.45.0.17", 51, paged(session.QER{}, session.PPIOf(5))),
		pair(28, "10.45.0.18", 55, closed),
	}, sessions6()...)
}

// File is a file of the module, by its path in it, wherever the test runs.
func File(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, name)
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("the test runs outside of the module")
		}
	}
}

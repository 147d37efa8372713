package calibrator

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"os"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// frame is one of those that package xdp's testdata/gen.py made with scapy: both
// datapaths do the same to it.
type frame struct {
	Name, Program, Frame, Verdict, Out, Reason string
}

func readFrames(t testing.TB) []frame {
	t.Helper()
	b, err := os.ReadFile("../xdp/testdata/frames.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []frame
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// hops is a router that knows what gen.py's network has.
type hops map[[4]byte]hop

func (h hops) route(destination [4]byte, _ uint64) (hop, bool) {
	x, found := h[destination]
	return x, found
}

func hopTo(from, to byte) hop {
	return hop{mtu: 1500, macs: [12]byte{2, 0, 0, 0, from, 2, 2, 0, 0, 0, from, to}}
}

// upfFor is a forwarder with gen.py's sessions, and what left it.
func upfFor(t testing.TB) (f *forwarder, sent func() []byte) {
	t.Helper()
	pools := []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")}
	f = &forwarder{table: newTable(1000, pools), n3: [4]byte{192, 0, 2, 1}, pool: newPool(16, 1700)}
	f.routers = [directions]router{
		uplink:   hops{{198, 51, 100, 2}: hopTo(6, 1)},
		downlink: hops{{192, 0, 2, 2}: hopTo(3, 1)},
	}
	var last []byte
	for way := range directions {
		l := newLane(way, Parameters{}, f.pool, newBook(4), 0)
		l.clock = func() uint64 { return 5 }
		l.send = func(frames [][]byte) (int, error) {
			last = bytes.Clone(frames[0])
			return len(frames), nil
		}
		f.lanes[way] = l
	}
	for _, r := range frameSessions() {
		if err := f.table.apply([]datapath.Change{{New: r}}); err != nil {
			t.Fatal(err)
		}
	}
	return f, func() []byte {
		for _, l := range f.lanes {
			l.depart(5)
		}
		b := last
		last = nil
		return b
	}
}

// elsewhere are the frames about which the datapaths differ: what the kernel is
// not asked to do for the calibrator, and how long a chain may be.
func elsewhere(name string) bool {
	switch name {
	case "n3 neighbour not resolved", "n3 to the upf itself", "n3 five extension headers":
		return true
	}
	return false
}

// TestFrames gives scapy's frames to the UPF.
func TestFrames(t *testing.T) {
	for _, c := range readFrames(t) {
		if elsewhere(c.Name) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			f, sent := upfFor(t)
			f.give(t, c)
			total := f.totals()
			if got := sent(); c.Out != "" && c.Verdict == "redirect" && !bytes.Equal(got, unpadded(t, c)) {
				t.Errorf("sent\n%x, want\n%s", got, c.Out)
			}
			forwarded := total.Uplink.Packets + total.Downlink.Packets
			if (c.Verdict == "redirect") != (forwarded == 1) || (c.Verdict == "pass") != (total.Passed == 1) {
				t.Errorf("verdict is %s, counted %+v", c.Verdict, total)
			}
			for reason := range total.Drops {
				if c.Verdict != "drop" || reason.String() != c.Reason {
					t.Errorf("dropped for %q, want %q", reason, c.Reason)
				}
			}
			if c.Verdict == "drop" && len(total.Drops) != 1 {
				t.Errorf("not dropped: %+v", total)
			}
		})
	}
}

func (f *forwarder) give(t testing.TB, c frame) {
	b, err := hex.DecodeString(c.Frame)
	if err != nil {
		t.Fatal(err)
	}
	if c.Program == "n3" {
		f.uplinkFrame(b, 1)
	} else {
		f.downlinkFrame(b, 1)
	}
}

// unpadded is what shall leave; Ethernet padding is not passed on.
func unpadded(t testing.TB, c frame) []byte {
	b := decode(t, c.Out)
	if c.Name == "n6 ethernet padding" {
		return b[:ethernetBytes+totalBytes(b[ethernetBytes:])]
	}
	return b
}

// FuzzFrames: no frame breaks the UPF, and each is counted once.
func FuzzFrames(fuzz *testing.F) {
	for _, c := range readFrames(fuzz) {
		b, _ := hex.DecodeString(c.Frame)
		fuzz.Add(c.Program == "n3", b)
	}
	fuzz.Fuzz(func(t *testing.T, fromN3 bool, b []byte) {
		if len(b) > 1514 {
			return
		}
		f, sent := upfFor(t)
		if fromN3 {
			f.uplinkFrame(b, 1)
		} else {
			f.downlinkFrame(b, 1)
		}
		out := sent()
		c := f.totals()
		n := c.Uplink.Packets + c.Downlink.Packets
		if (n == 1) != (out != nil) {
			t.Errorf("%d forwarded, %x sent", n, out)
		}
		for _, drops := range c.Drops {
			n += drops
		}
		if n+c.Passed != 1 {
			t.Errorf("counted %d times: %+v", n+c.Passed, c)
		}
	})
}

// pair is a session of an uplink and a downlink PDR.
func pair(seid uint64, ue string, teid uint32, change func(*session.Rules)) *session.Rules {
	address := netip.MustParseAddr(ue)
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
	r.PDRs[0].PDI.QFI = 9
}

// frameSessions are the sessions of gen.py.
func frameSessions() []*session.Rules {
	return []*session.Rules{
		pair(1, "10.45.0.2", 1, withQER(session.QER{QFI: 1, GateUL: true, GateDL: true})),
		pair(2, "10.45.0.3", 3, nil),
		pair(3, "10.45.0.4", 5, dropAll),
		pair(4, "10.45.0.5", 7, withQER(session.QER{QFI: 1})),
		pair(5, "10.45.0.6", 9, anyUEWithQFI9),
		pair(6, "10.45.0.7", 11, withPeer("203.0.113.9")),
		pair(7, "10.45.0.8", 13, withPeer("192.0.2.77")),
	}
}

func decode(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

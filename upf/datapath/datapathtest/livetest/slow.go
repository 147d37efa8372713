package livetest

import (
	"encoding/binary"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

// Slow sends packets that do not fit, and G-PDUs in fragments, through datapaths that open makes in the
// network of the test, with N3Address6 and N6Tunnels, each with what process starts around it: what
// leaves is what scapy fragments.
func Slow(t *testing.T, open func(t *testing.T) datapath.Datapath, process func(testing.TB, datapath.Datapath)) {
	for _, big := range []string{"n6", "n3", ""} {
		t.Run("big "+big, func(t *testing.T) {
			Network(t)
			if big != "" {
				SetMTU(t, 3000, big, big+"p")
			}
			Uncut(t, "n3") // a frame is a packet
			d := open(t)
			process(t, d)
			ports := map[string]*tpacket.Port{}
			for _, name := range []string{"n3", "n6"} {
				p, err := tpacket.Open(tpacket.Config{Interface: name + "p", MaxFrame: 65000, Frames: 256})
				Must(t, err)
				t.Cleanup(func() { p.Close() })
				ports[name] = p
			}
			for _, f := range datapathtest.SlowFrames(t) {
				if f.Big == big && !(f.Name == "downlink over ipv6" && sentByKernel(d)) { // the device's MTU is for tunnels over IPv4
					slow(t, d, f, ports)
				}
			}
		})
	}
}

func slow(t *testing.T, d datapath.Datapath, f datapathtest.SlowFrame, ports map[string]*tpacket.Port) {
	var changes, back []datapath.Change
	for _, r := range f.Sessions() {
		changes, back = append(changes, datapath.Change{New: r}), append(back, datapath.Change{Old: r})
	}
	Must(t, d.Apply(changes))
	before, err := d.Counters()
	Must(t, err)
	_, err = ports[f.At].Send(f.Frames)
	Must(t, err)
	for i, want := range f.Out {
		got := Next(t, ports[f.Leaves])
		if got, want := blindOuter(d, blindSlow(got)), blindOuter(d, blindSlow(slices.Clone(want))); !slices.Equal(got, want) {
			t.Errorf("%s: packet %d is\n%x, want\n%x", f.Name, i, got, want)
			break
		}
	}
	c, err := d.Counters()
	Must(t, err)
	if c.Uplink.Packets+c.Downlink.Packets == before.Uplink.Packets+before.Downlink.Packets || len(c.Drops) > 0 {
		t.Errorf("%s: counted as %+v, before %+v", f.Name, c, before)
	}
	Must(t, d.Apply(back))
}

// blindSlow takes out of a frame the identification and the checksum of an outer header, which are the
// sender's choice.
func blindSlow(frame []byte) []byte {
	const ip = 14
	if len(frame) < ip+28 || frame[12] != 8 || frame[13] != 0 {
		return frame
	}
	outer := netip.AddrFrom4([4]byte(frame[ip+12 : ip+16]))
	if outer == netip.MustParseAddr("192.0.2.1") || outer == netip.MustParseAddr("198.51.100.1") {
		clear(frame[ip+4 : ip+6])
		clear(frame[ip+10 : ip+12])
	}
	return frame
}

// SetMTU sets that of links.
func SetMTU(t testing.TB, octets int, names ...string) {
	t.Helper()
	for _, name := range names {
		link, err := netlink.LinkByName(name)
		Must(t, err)
		Must(t, netlink.LinkSetMTU(link, octets))
	}
}

// unresolvedPackets is how many packets follow each other, a millisecond apart.
const unresolvedPackets = 10

// Unresolved sends packets to a gNB, and to a host of the data network, that nobody has resolved: all of
// them arrive once they answer.
func Unresolved(t *testing.T, d datapath.Datapath, process func(testing.TB, datapath.Datapath)) {
	Uncut(t, "n3") // a frame is a packet
	l := NewLab(t, d)
	process(t, d)
	byName := map[string]datapathtest.Frame{}
	for _, f := range datapathtest.Frames(t) {
		byName[f.Name] = f
	}
	for _, c := range []struct {
		frame, neighbour string
		in, out          *tpacket.Port
	}{
		{"n6 unresolved gnb", "192.0.2.77", l.N6, l.N3},
		{"n3 neighbour not resolved", "198.51.100.77", l.N3, l.N6},
	} {
		to := netip.MustParseAddr(c.neighbour)
		for range unresolvedPackets {
			_, err := c.in.Send([][]byte{byName[c.frame].Input(t)})
			Must(t, err)
			time.Sleep(time.Millisecond) // the pace
		}
		if n := len(resolved(t, c.out, to, unresolvedPackets)); n != unresolvedPackets {
			t.Errorf("%s: %d of %d packets arrived", c.frame, n, unresolvedPackets)
		}
	}
	n, err := d.Counters()
	Must(t, err)
	if n.Uplink.Packets != unresolvedPackets || n.Downlink.Packets != unresolvedPackets || len(n.Drops) > 0 {
		t.Errorf("counted %+v", n)
	}
}

// UnresolvedBig sends a packet that does not fit N3, of 1500 octets, to a gNB that nobody has resolved: its
// T-PDU is fragmented, as to any other gNB. N6 takes 3000 octets.
func UnresolvedBig(t *testing.T, d datapath.Datapath, process func(testing.TB, datapath.Datapath)) {
	Uncut(t, "n3") // a frame is a packet
	l := NewLab(t, d)
	process(t, d)
	const ip, whole = 14, 0x3fff
	for _, f := range datapathtest.SlowFrames(t) {
		if f.Name != "downlink" {
			continue
		}
		in := slices.Clone(f.Frames[0])
		copy(in[ip+16:], []byte{10, 45, 0, 8}) // the UE of that gNB
		checksum.SealIPv4(in[ip:])
		_, err := l.N6.Send([][]byte{in})
		Must(t, err)
		got := resolved(t, l.N3, netip.MustParseAddr("192.0.2.77"), len(f.Out))
		if len(got) != len(f.Out) {
			t.Fatalf("%d packets arrived, want %d", len(got), len(f.Out))
		}
		for i, frame := range got {
			if len(frame) > ip+1500 || binary.BigEndian.Uint16(frame[ip+6:])&whole != 0 {
				t.Errorf("packet %d has %d octets, and its outer header is that of a fragment: %x", i, len(frame), frame[:ip+20])
			}
		}
		return
	}
	t.Fatal("there is no such frame")
}

// resolved answers who asks for an address, and lists the packets to it, until there are so many, or
// for a while.
func resolved(t *testing.T, p *tpacket.Port, address netip.Addr, want int) (all [][]byte) {
	for deadline := time.Now().Add(5 * time.Second); len(all) < want && time.Now().Before(deadline); {
		f := p.Next()
		if f == nil {
			Must(t, tpacket.Wait(10*time.Millisecond, p))
			continue
		}
		reply := arpReply(f, address)
		if len(f) > 34 && f[12] == 8 && f[13] == 0 && netip.AddrFrom4([4]byte(f[30:34])) == address {
			all = append(all, slices.Clone(f))
		}
		p.Release()
		if reply != nil {
			_, err := p.Send([][]byte{reply})
			Must(t, err)
		}
	}
	return all
}

package tun

import (
	"bytes"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/wire/checksum"
)

// TestIsolated: IP without a tunnel from N3, and from N6 for no UE, is not routed, unless
// it is allowed; what was added for it goes with the datapath.
func TestIsolated(t *testing.T) {
	t.Run("as it comes", func(t *testing.T) { testIsolated(t, false) })
	t.Run("allowed", func(t *testing.T) { testIsolated(t, true) })
}

func testIsolated(t *testing.T, allowed bool) {
	livetest.Network(t)
	c := config(false, 1)
	c.PlainN3, c.PlainN6 = allowed, allowed
	d, err := Open(c)
	livetest.Must(t, err)
	l := livetest.NewLab(t, d)
	n3, n6 := plain(t, l, true), plain(t, l, false)
	if n3 != allowed || n6 != allowed {
		t.Errorf("allowed: %v; from N3 it was routed: %v, from N6: %v", allowed, n3, n6)
	}
	livetest.Must(t, d.Close())
	if left := ours(t); left > 0 {
		t.Errorf("%d routing rules are left", left)
	}
}

// plain sends UDP from one side to a host behind the other one, then what is forwarded
// in any case, and reports whether the former came first.
func plain(t testing.TB, l livetest.Lab, fromN3 bool) bool {
	t.Helper()
	in, out, program := l.N3, l.N6, "n3"
	to := [4]byte{198, 51, 100, 2}
	if !fromN3 {
		in, out, program, to = out, in, "n6", [4]byte{192, 0, 2, 2}
	}
	var known []byte
	for _, f := range datapathtest.Frames(t) {
		if f.Program == program && f.Verdict == "redirect" {
			known = f.Input(t)
			break
		}
	}
	frame := udpTo(to)
	copy(frame, known[:12])
	_, err := in.Send([][]byte{frame, known})
	livetest.Must(t, err)
	first := livetest.Next(t, out)
	if routed := bytes.Contains(first, []byte("plain")); !routed {
		return false
	}
	livetest.Next(t, out)
	return true
}

// udpTo is a frame without its Ethernet addresses: UDP to port 9, without a checksum.
func udpTo(to [4]byte) []byte {
	const text = "plain"
	ip := []byte{0x45, 0, 0, 28 + byte(len(text)), 0, 1, 0, 0, 64, 17, 0, 0, 203, 0, 113, 5, to[0], to[1], to[2], to[3]}
	checksum.Put(ip[10:], checksum.Finish(checksum.Sum(ip)))
	frame := append(append(make([]byte, 12), 8, 0), ip...)
	return append(append(frame, 0, 9, 0, 9, 0, 8+byte(len(text)), 0, 0), text...)
}

// ours is how many of the namespace's rules are a datapath's.
func ours(t testing.TB) (n int) {
	t.Helper()
	for _, family := range []int{unix.AF_INET, unix.AF_INET6} {
		list, err := netlink.RuleList(family)
		livetest.Must(t, err)
		for _, r := range list {
			if r.Protocol == ruleProtocol {
				n++
			}
		}
	}
	return n
}

// TestStaleRules: the rules of a UPF that was killed do not stay.
func TestStaleRules(t *testing.T) {
	livetest.Network(t)
	if _, err := isolate(config(false, 1)); err != nil {
		t.Fatal(err)
	}
	was := ours(t)
	d := openHere(t, config(false, 1))
	if now := ours(t); was == 0 || now != was {
		t.Errorf("%d rules, %d after the next start", was, now)
	}
	livetest.Must(t, d.Close())
	if left := ours(t); left > 0 {
		t.Errorf("%d rules are left", left)
	}
}

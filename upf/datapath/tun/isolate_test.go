package tun

import (
	"bytes"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestIsolated: IP without a tunnel from N3, and from N6 for no UE, is not routed, unless
// it is allowed; what was added for it goes with the datapath.
func TestIsolated(t *testing.T) {
	t.Run("by a classifier", func(t *testing.T) { testIsolated(t, false, false) })
	t.Run("by routing rules, for another's classifier is there", func(t *testing.T) { testIsolated(t, false, true) })
	t.Run("allowed", func(t *testing.T) { testIsolated(t, true, false) })
}

func testIsolated(t *testing.T, allowed, byRules bool) {
	livetest.Network(t)
	if byRules {
		occupy(t, "n3", "other")
	}
	c := config(false, 1)
	c.PlainN3, c.PlainN6 = allowed, allowed
	d, err := Open(c)
	livetest.Must(t, err)
	l := livetest.NewLab(t, d)
	if rules := ours(t) > 0; rules != byRules {
		t.Errorf("there are routing rules: %v", rules)
	}
	n3, n6 := plain(t, l, true), plain(t, l, false)
	if n3 != allowed || n6 != allowed {
		t.Errorf("allowed: %v; from N3 it was routed: %v, from N6: %v", allowed, n3, n6)
	}
	livetest.Must(t, d.Close())
	if left := ours(t); left > 0 || classified(t, "n6") {
		t.Errorf("%d routing rules are left, and a classifier at N6: %v", left, classified(t, "n6"))
	}
}

// occupy gives an interface a classifier of a name: somebody else's, or what a killed UPF left.
func occupy(t testing.TB, device, name string) {
	t.Helper()
	link, err := netlink.LinkByName(device)
	livetest.Must(t, err)
	at := netlink.QdiscAttrs{LinkIndex: link.Attrs().Index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT}
	livetest.Must(t, netlink.QdiscAdd(&netlink.Clsact{QdiscAttrs: at}))
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.SchedCLS, License: "GPL", Instructions: asm.Instructions{
		asm.Mov.Imm(asm.R0, -1), asm.Return(), // TC_ACT_UNSPEC
	}})
	livetest.Must(t, err)
	defer program.Close()
	filter := netlink.FilterAttrs{LinkIndex: at.LinkIndex, Parent: netlink.HANDLE_MIN_INGRESS, Handle: 1,
		Protocol: unix.ETH_P_ALL, Priority: 1}
	livetest.Must(t, netlink.FilterAdd(&netlink.BpfFilter{FilterAttrs: filter, Fd: program.FD(), Name: name, DirectAction: true}))
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

// classified reports whether an interface has a classifier.
func classified(t testing.TB, name string) bool {
	t.Helper()
	link, err := netlink.LinkByName(name)
	livetest.Must(t, err)
	list, err := netlink.FilterList(link, netlink.HANDLE_MIN_INGRESS)
	livetest.Must(t, err)
	return len(list) > 0
}

// ours counts the rules of the namespace that a datapath added.
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
	killed, err := openRules(config(false, 1))
	livetest.Must(t, err)
	livetest.Must(t, killed.endAll(config(false, 1)))
	was := ours(t)
	d := openHere(t, config(false, 1))
	if now := ours(t); was == 0 || now != 0 {
		t.Errorf("%d rules, %d after the next start", was, now)
	}
	livetest.Must(t, d.Close())
	if left := ours(t); left > 0 {
		t.Errorf("%d rules are left", left)
	}
}

// TestStaleClassifier: nor does its classifier, whatever the next one needs.
func TestStaleClassifier(t *testing.T) {
	allowed, oneInterface := config(false, 1), config(false, 1)
	allowed.PlainN3, allowed.PlainN6 = true, true
	oneInterface.N6 = oneInterface.N3
	for _, next := range []struct {
		name       string
		config     Config
		classified bool
	}{{"the same", config(false, 1), true}, {"TAP", config(true, 1), true}, {"allowed", allowed, false},
		{"one interface", oneInterface, false}} {
		t.Run(next.name, func(t *testing.T) {
			livetest.Network(t)
			occupy(t, "n3", "upf-suppress")
			d, err := Open(next.config)
			livetest.Must(t, err)
			if now := classified(t, "n3"); now != next.classified {
				t.Errorf("a classifier at N3: %v", now)
			}
			if rules := ours(t) > 0; rules != (next.name == "one interface") {
				t.Errorf("there are routing rules: %v", rules)
			}
			livetest.Must(t, d.Close())
			if classified(t, "n3") || ours(t) > 0 {
				t.Error("something is left")
			}
		})
	}
}

// TestNoEthernet: where packets begin with IP the classifier would not find their addresses.
func TestNoEthernet(t *testing.T) {
	livetest.Network(t)
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "plain6"
	livetest.Must(t, netlink.LinkAdd(&netlink.Tuntap{LinkAttrs: attrs, Mode: netlink.TUNTAP_MODE_TUN, Flags: netlink.TUNTAP_NO_PI}))
	c := config(false, 1)
	c.N6 = "plain6"
	d := openHere(t, c)
	if ours(t) == 0 || classified(t, "n3") {
		t.Errorf("%d routing rules, a classifier at N3: %v", ours(t), classified(t, "n3"))
	}
	livetest.Must(t, d.Close())
}

package xdp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netns"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/xdp/inject"
	"github.com/upflab/upflab/upf/session"
)

// withIntermediate has both, with the session of an intermediate UPF alone.
func withIntermediate(t *testing.T) *differential {
	t.Helper()
	d := newDifferential(t)
	for _, r := range frameSessions() {
		must(t, "remove", d.dp.Apply([]datapath.Change{{Old: r}}))
		must(t, "remove", d.forwarder.Apply([]datapath.Change{{Old: r}}))
	}
	c := []datapath.Change{{New: datapathtest.Intermediate()}}
	must(t, "Apply", d.dp.Apply(c))
	must(t, "Apply to the forwarder", d.forwarder.Apply(c))
	must(t, "enter the namespace", netns.Set(d.ns))
	return d
}

// TestRelay: from a tunnel into a tunnel, with the octets that scapy expects.
func TestRelay(t *testing.T) {
	d := withIntermediate(t)
	before := d.counters(t)
	for _, f := range datapathtest.RelayFrames(t) {
		got := d.inKernel(t, d.dp.ports[0], f.In)
		if len(f.Out) == 0 {
			if got.verdict == "sent" {
				t.Errorf("%s: sent %x", f.Name, got.frame)
			}
			continue
		}
		if got.verdict != "sent" || !sameFrame(!f.ByN6, got.frame, f.Out) {
			t.Errorf("%s: %s\n%x, want\n%x", f.Name, got.verdict, got.frame, f.Out)
		}
	}
	after := d.counters(t)
	if up, down := after.Uplink.Packets-before.Uplink.Packets, after.Downlink.Packets-before.Downlink.Packets; up != 10 || down != 17 {
		t.Errorf("%d uplink and %d downlink packets are counted, want 10 and 17", up, down)
	}
	u, err := d.dp.Usage(77, 1)
	if err != nil || u.Uplink.Packets != 7 || u.Downlink.Packets != 3 {
		t.Errorf("usage %+v, %v, want 7 uplink and 3 downlink", u, err)
	}
}

// TestRelayOnLinks: the same on links, where what goes from a tunnel into a tunnel leaves by the port
// that it came in by.
func TestRelayOnLinks(t *testing.T) {
	l := newLab(t, labConfig())
	openTap(t, "n3p")
	openTap(t, "n6p")
	livetest.SamePort(t, l.dp)
}

// TestRelayDiffers: octets changed at random, the programs and the forwarder agree.
func TestRelayDiffers(t *testing.T) {
	d, random := withIntermediate(t), rand.New(rand.NewPCG(1, 2))
	frames := datapathtest.RelayFrames(t)
	for range 3000 {
		frame := bytes.Clone(frames[random.IntN(len(frames))].In)
		for range random.IntN(3) {
			frame[14+random.IntN(len(frame)-14)] = byte(random.Uint32())
		}
		kernel, user := d.inKernel(t, d.dp.ports[0], frame), d.inUserSpace(forward.Uplink, frame)
		tunnel := len(user.frame) > 30 && user.frame[23] == 17 && bytes.Equal(user.frame[26:30], []byte{192, 0, 2, 1})
		if kernel.verdict != user.verdict || kernel.verdict == "sent" && !sameFrame(tunnel, kernel.frame, user.frame) {
			t.Fatalf("frame %x: the program: %s\n%x, the forwarder: %s\n%x", frame, kernel.verdict, kernel.frame, user.verdict, user.frame)
		}
	}
}

// TestExitIsRefused: what the programs would count wrongly is refused.
func TestExitIsRefused(t *testing.T) {
	r := datapathtest.Intermediate()
	r.FARs[1] = session.FAR{ID: 2, Action: session.Forward, Destination: session.Core}
	_, err := compile(r, ends{})
	var rule *session.RuleError
	if !errors.As(err, &rule) || rule.Kind != session.KindPDR || rule.ID != 2 && rule.ID != 5 {
		t.Errorf("compile = %v, want an error about PDR 2 or 5", err)
	}
}

// TestUnknownExtension: a G-PDU with an extension header that has to be understood is
// dropped, and handed to who answers; others are skipped.
func TestUnknownExtension(t *testing.T) {
	d := withIntermediate(t)
	const begin = 14 + 20 + 8
	base := datapathtest.RelayFrames(t)[1].In // without extension headers
	for typ, want := range map[byte]string{0xc0: "dropped: unsupported GTP-U message",
		0x84: "dropped: unsupported GTP-U message", 0x40: "sent", 0x20: "sent"} {
		frame := append(bytes.Clone(base[:begin+8]), 0, 0, 0, typ, 1, 0, 0, 0)
		frame = append(frame, base[begin+8:]...)
		frame[begin] |= 4
		for _, at := range []int{16, 38, begin + 2} {
			binary.BigEndian.PutUint16(frame[at:], binary.BigEndian.Uint16(frame[at:])+8)
		}
		opts := ebpf.RunOptions{Data: frame, DataOut: make([]byte, len(frame)+256),
			Context: inject.Context{DataEnd: uint32(len(frame)), IngressIfindex: uint32(d.dp.ports[0].index)}}
		verdict, err := d.dp.ports[0].program.Run(&opts)
		must(t, "run", err)
		if dropped := want != "sent"; dropped != (verdict == xdpPass) {
			t.Errorf("extension header %#x: verdict %d", typ, verdict)
		}
		kernel, user := d.inKernel(t, d.dp.ports[0], frame), d.inUserSpace(forward.Uplink, frame)
		if kernel.verdict != want || user.verdict != want {
			t.Errorf("extension header %#x: the program: %s, the forwarder: %s, want %s", typ, kernel.verdict, user.verdict, want)
		}
	}
}

package delayprobe

import (
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/socket/xsk"
	"github.com/upflab/upflab/internal/text/wait"
)

// frame is a signed packet as on N6, or on N3 with or without a PDU session container.
func frame(s signature.Signature, gtp, container bool) []byte {
	udp := func(port uint16, payload int) []byte {
		b := make([]byte, 28)
		b[0], b[8], b[9] = 0x45, 64, 17
		binary.BigEndian.PutUint16(b[2:], uint16(28+payload))
		checksum.Put(b[10:], checksum.Finish(checksum.Sum(b[:20])))
		binary.BigEndian.PutUint16(b[22:], port)
		binary.BigEndian.PutUint16(b[24:], uint16(8+payload))
		return b
	}
	const payload = 40
	f := append(make([]byte, 12), 0x08, 0)
	if gtp {
		length := 8 + 28 + payload
		if container {
			length += 8
		}
		f = append(append(f, udp(2152, length)...), 0x30, 255, 0, 0, 0, 0, 0, 1)
		if container {
			f[42] |= 0x04
			f = append(f, 0, 0, 0, 0x85, 1, 0, 1, 0)
		}
	}
	f = append(append(f, udp(1234, payload)...), make([]byte, payload)...)
	s.Put(f[len(f)-payload:])
	return f
}

func open(t *testing.T, c Config) *seen {
	t.Helper()
	x, err := Open(c)
	if errors.Is(err, link.ErrNotSupported) { // the programs were loaded, before Linux 6.6 too
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return &seen{Probes: x}
}

// seen is what probes saw so far.
type seen struct {
	*Probes
	passages []Passage
}

// through are the packets that went through in a direction, and how many came in.
func (s *seen) through(t *testing.T, d record.Direction) (in uint64, list []Passage) {
	t.Helper()
	more, err := s.Take()
	if err != nil {
		t.Fatal(err)
	}
	s.passages = append(s.passages, more...)
	var n probesTally
	if err := s.shared[probesMapCounts].Lookup(indexOf(d), &n); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.passages {
		if p.Direction == d {
			list = append(list, p)
		}
	}
	return n.In, list
}

// counts are what came in and what was timed in a direction.
func (s *seen) counts(t *testing.T, d record.Direction) (in, timed uint64) {
	t.Helper()
	in, list := s.through(t, d)
	return in, uint64(len(list))
}

func ports(s site.Site, every int) Config {
	return Config{N3: s.Links().UPFN3, N6: s.Links().UPFN6, GNB: s.Links().GNB, DN: s.Links().DNN6, Every: every}
}

// A packet is known again by its signature, whatever headers it has on each side.
func TestClassifiers(t *testing.T) {
	x := open(t, ports(sitetest.Build(t), 1))
	run := func(program string, f []byte) {
		if verdict, _, err := x.loaded[0].Programs[program].Test(f); err != nil || int32(verdict) != -1 {
			t.Fatalf("%s: verdict %d, %v", program, int32(verdict), err)
		}
	}
	sent := signature.Signature{Trial: 8, Word: 5, Sequence: 1000}
	for _, c := range []struct {
		story               string
		in, out             string
		direction           record.Direction
		container           bool
		went                signature.Signature
		wantsIn, wantsTimed uint64
		inN3, outN3         bool
	}{
		{story: "uplink", in: probesProgN3In, out: probesProgN6Out, direction: record.Uplink, container: true, inN3: true,
			went: sent, wantsIn: 1, wantsTimed: 1},
		{story: "uplink without a container", in: probesProgN3In, out: probesProgN6Out, direction: record.Uplink,
			inN3: true, went: sent, wantsIn: 2, wantsTimed: 2},
		{story: "downlink", in: probesProgN6In, out: probesProgN3Out, direction: record.Downlink, container: true,
			outN3: true, went: sent, wantsIn: 1, wantsTimed: 1},
		{story: "another packet goes out", in: probesProgN6In, out: probesProgN3Out, direction: record.Downlink, outN3: true,
			went: signature.Signature{Trial: 8, Word: 5, Sequence: 1001}, wantsIn: 2, wantsTimed: 1},
		{story: "one of another trial goes out", in: probesProgN6In, out: probesProgN3Out, direction: record.Downlink, outN3: true,
			went: signature.Signature{Trial: 10, Word: 5, Sequence: 1000}, wantsIn: 3, wantsTimed: 1},
	} {
		run(c.in, frame(sent, c.inN3, c.container))
		run(c.out, frame(c.went, c.outN3, c.container))
		if in, timed := x.counts(t, c.direction); in != c.wantsIn || timed != c.wantsTimed {
			t.Errorf("%s: %d came in and %d were timed, want %d and %d", c.story, in, timed, c.wantsIn, c.wantsTimed)
		}
	}
	// A copy, a packet of a warm-up and what is not ours count for nothing.
	before, timed := x.counts(t, record.Uplink)
	run(probesProgN6Out, frame(sent, false, false))
	run(probesProgN3In, frame(signature.Signature{Trial: 7, Word: 5, Sequence: 3}, true, true))
	run(probesProgN3In, make([]byte, 200))
	run(probesProgN3In, make([]byte, 60))
	if in, now := x.counts(t, record.Uplink); in != before || now != timed {
		t.Errorf("%d came in and %d were timed, want %d and %d as before", in, now, before, timed)
	}
}

// A packet has its session, and what it waited before it came in.
func TestPassages(t *testing.T) {
	x := open(t, ports(sitetest.Build(t), 1))
	for session := range uint32(6) {
		s := signature.Signature{Trial: 2, Word: 3<<20 | session, Sequence: 7, Intended: uint64(monotonic(t)) - 5e6*uint64(session)}
		for _, program := range []string{probesProgN3In, probesProgN6Out} {
			if program == probesProgN6Out && session == 5 {
				continue // it is lost
			}
			if _, _, err := x.loaded[0].Programs[program].Test(frame(s, program == probesProgN3In, true)); err != nil {
				t.Fatal(err)
			}
		}
	}
	in, list := x.through(t, record.Uplink)
	if in != 6 || len(list) != 5 {
		t.Fatalf("%d came in and %d were timed", in, len(list))
	}
	for i, p := range list {
		if p.Session != uint32(i) || p.Due == 0 || uint64(p.SinceDue) < 5e6*uint64(i) || p.Took == 0 {
			t.Errorf("packet %d: %+v", i, p)
		}
	}
	if in, timed := x.counts(t, record.Downlink); in+timed != 0 {
		t.Errorf("downlink: %d came in and %d were timed", in, timed)
	}
}

// One that was due seconds ago, or has its due time in the future, has the nearest that fits.
func TestPassagesOutOfRange(t *testing.T) {
	x := open(t, ports(sitetest.Build(t), 1))
	for i, due := range []uint64{1, 1 << 62} {
		for _, program := range []string{probesProgN3In, probesProgN6Out} {
			s := signature.Signature{Trial: 2, Sequence: uint64(i), Intended: due}
			if _, _, err := x.loaded[0].Programs[program].Test(frame(s, program == probesProgN3In, true)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, list := x.through(t, record.Uplink); len(list) != 2 || list[0].SinceDue != 1<<32-1 || list[1].SinceDue != 0 {
		t.Errorf("%+v", list)
	}
}

func monotonic(t *testing.T) int64 {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		t.Fatal(err)
	}
	return ts.Nano()
}

// When nobody reads for long, what did not fit is an error, once.
func TestRingIsFull(t *testing.T) {
	x := open(t, ports(sitetest.Build(t), 1))
	x.mu.Lock() // the ring is not read
	const packets = 1<<22/(passageBytes+8) + 1000
	for i := range uint64(packets) {
		for _, program := range []string{probesProgN3In, probesProgN6Out} {
			if _, _, err := x.loaded[0].Programs[program].Test(frame(signature.Signature{Trial: 2, Sequence: i},
				program == probesProgN3In, true)); err != nil {
				t.Fatal(err)
			}
		}
	}
	x.mu.Unlock()
	if list, err := x.Take(); err == nil || len(list) == 0 {
		t.Errorf("%d passages of %d packets, %v", len(list), packets, err)
	}
	if _, err := x.Take(); err != nil {
		t.Errorf("the second time: %v", err)
	}
}

// One packet in so many is sampled, of each session about as many.
func TestSampling(t *testing.T) {
	x := open(t, ports(sitetest.Build(t), 16))
	const packets, sessions = 4000, 4
	for i := range uint64(packets) {
		f := frame(signature.Signature{Trial: 2, Word: uint32(i % sessions), Sequence: i / sessions}, true, true)
		if _, _, err := x.loaded[0].Programs[probesProgN3In].Test(f); err != nil {
			t.Fatal(err)
		}
	}
	if in, _ := x.counts(t, record.Uplink); in < packets/16*3/4 || in > packets/16*5/4 {
		t.Errorf("%d of %d packets were sampled, want about %d", in, packets, packets/16)
	}
}

func TestEveryIsAPowerOfTwo(t *testing.T) {
	for _, every := range []int{-1, 0, 3, 100} {
		if _, err := Open(Config{Every: every}); err == nil {
			t.Errorf("one in %d is accepted", every)
		}
	}
}

// send puts frames on a port, to the other end of its link.
func send(t *testing.T, p netdev.Port, packets int, of func(sequence uint64) []byte) {
	t.Helper()
	err := p.NS.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		at := &unix.SockaddrLinklayer{Ifindex: p.Index}
		for i := range uint64(packets) {
			if err := unix.Sendto(fd, of(i), 0, at); err != nil {
				return err
			}
			time.Sleep(100 * time.Microsecond) // no ring overflows
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// all waits until all of so many packets are timed.
func all(t *testing.T, x *seen, d record.Direction, packets uint64) {
	t.Helper()
	wait.Until(10*time.Second, 10*time.Millisecond, func() bool {
		_, timed := x.counts(t, d)
		return timed == packets
	})
	in, list := x.through(t, d)
	if in != packets || uint64(len(list)) != packets || list[0].Took == 0 || list[0].Took > uint32(time.Second) {
		t.Errorf("%s: of %d packets %d came in and %d were timed", d, packets, in, len(list))
	}
}

// to addresses a frame.
func to(f []byte, mac []byte) []byte {
	copy(f, mac)
	f[6] = 2 // a source address
	return f
}

// sink is an XDP program that drops all that a port receives, as the engine's does.
func sink(t *testing.T, p netdev.Port) {
	t.Helper()
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{Type: ebpf.XDP, License: "GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 1), asm.Return()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	err = p.NS.Do(func() error {
		l, err := link.AttachXDP(link.XDPOptions{Program: program, Interface: p.Index})
		if err == nil {
			t.Cleanup(func() { l.Close() })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Where XDP forwards: the wire, which does so with IPv4 both ways.
func TestBeforePrograms(t *testing.T) {
	tb := sitetest.Build(t)
	w, err := wire.Open(tb)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	sink(t, tb.Links().GNB)
	sink(t, tb.Links().DNN6)
	before, err := tb.Links().UPFN3.XDP().Program()
	if err != nil {
		t.Fatal(err)
	}
	c := ports(tb, 1)
	c.XDP = true
	opened, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	x := &seen{Probes: opened}
	const packets = 50
	send(t, tb.Links().GNB, packets, func(n uint64) []byte {
		return to(frame(signature.Signature{Trial: 2, Sequence: n}, true, true), tb.Links().UPFN3.MAC)
	})
	all(t, x, record.Uplink, packets)
	send(t, tb.Links().DNN6, packets, func(n uint64) []byte {
		return to(frame(signature.Signature{Trial: 2, Sequence: n}, false, false), tb.Links().UPFN6.MAC)
	})
	all(t, x, record.Downlink, packets)
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if after, err := tb.Links().UPFN3.XDP().Program(); err != nil || after != before {
		t.Errorf("N3 has program %d, %v, afterwards, want %d as before", after, err, before)
	}
}

// Through the kernel's stack: an Ethernet bridge.
func TestAtPorts(t *testing.T) {
	tb := sitetest.Build(t)
	if _, err := wire.OpenBridge(tb); err != nil {
		t.Skip("no bridge here:", err)
	}
	x := open(t, ports(tb, 1))
	const packets = 50
	send(t, tb.Links().GNB, packets, func(n uint64) []byte {
		return to(frame(signature.Signature{Trial: 2, Sequence: n}, true, true), tb.Links().DNN6.MAC)
	})
	all(t, x, record.Uplink, packets)
	send(t, tb.Links().DNN6, packets, func(n uint64) []byte {
		return to(frame(signature.Signature{Trial: 2, Sequence: n}, false, false), tb.Links().GNB.MAC)
	})
	all(t, x, record.Downlink, packets)
}

// Where what the UPF sends by AF_XDP is not seen at its ports, probes beyond the links time it, before
// an XDP program or without one.
func TestBeyondLinks(t *testing.T) {
	for story, chained := range map[string]bool{"no program": false, "programs": true} {
		t.Run(story, func(t *testing.T) {
			tb := sitetest.Build(t)
			l := tb.Links()
			if chained {
				sink(t, l.GNB)
				sink(t, l.DNN6)
			}
			c := ports(tb, 1)
			c.Unseen = true
			x := open(t, c)
			through(t, x, record.Uplink, l.GNB, l.UPFN3, l.UPFN6)
			through(t, x, record.Downlink, l.DNN6, l.UPFN6, l.UPFN3)
		})
	}
}

// through sends packets to a port of the UPF, and by AF_XDP out of the other.
func through(t *testing.T, x *seen, d record.Direction, from, in, out netdev.Port) {
	t.Helper()
	of := func(n uint64, n3 bool) []byte { return frame(signature.Signature{Trial: 2, Sequence: n}, n3, n3) }
	const packets = 50
	send(t, from, packets, func(n uint64) []byte { return to(of(n, d == record.Uplink), in.MAC) })
	err := out.NS.Do(func() error {
		s, err := xsk.OpenSender(out.Name, 0)
		if err != nil {
			return err
		}
		for n := range uint64(packets) {
			s.Put([][]byte{to(of(n, d == record.Downlink), from.MAC)})
			s.Flush()
		}
		return s.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	all(t, x, d, packets)
}

// A port without a program has nothing to put probes around.
func TestNoProgram(t *testing.T) {
	c := ports(sitetest.Build(t), 1)
	c.XDP = true
	if _, err := Open(c); err == nil {
		t.Error("probes around no program are accepted")
	}
}

package tpacket

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// veth makes a pair of interfaces in a namespace of the test's own, and stays
// there until the test ends.
func veth(t testing.TB, mtu int) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for a network namespace: run the tests as root")
		}
		t.Skip("needs root, for a network namespace")
	}
	runtime.LockOSThread()
	home, err := netns.Get()
	must(t, err)
	name := fmt.Sprintf("upflab-afp-%d", os.Getpid())
	ns, err := netns.NewNamed(name)
	must(t, err)
	t.Cleanup(func() {
		must(t, netns.Set(home))
		must(t, netns.DeleteNamed(name))
		ns.Close()
		home.Close()
		runtime.UnlockOSThread()
	})
	must(t, os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0))
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.MTU = "a", mtu
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "b", PeerMTU: uint32(mtu)}))
	for _, name := range []string{"a", "b"} {
		link, err := netlink.LinkByName(name)
		must(t, err)
		must(t, netlink.LinkSetUp(link))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, c Config) *Port {
	t.Helper()
	p, err := Open(c)
	must(t, err)
	t.Cleanup(func() { must(t, p.Close()) })
	return p
}

// numbered is a frame of an experimental Ethertype that holds its number.
func numbered(n uint32, length int) []byte {
	b := make([]byte, length)
	copy(b, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x88, 0xb5})
	binary.BigEndian.PutUint32(b[14:], n)
	for i := 18; i < length; i++ {
		b[i] = byte(i + int(n))
	}
	return b
}

// receive takes what has arrived.
func receive(t testing.TB, p *Port, want int) [][]byte {
	t.Helper()
	var all [][]byte
	for deadline := time.Now().Add(time.Second); len(all) < want && time.Now().Before(deadline); {
		f := p.Next()
		if f == nil {
			must(t, Wait(10*time.Millisecond, p))
			continue
		}
		all = append(all, bytes.Clone(f))
		p.Release()
	}
	return all
}

func TestFramesArriveWholeAndInOrder(t *testing.T) {
	veth(t, 9000)
	a, b := open(t, Config{Interface: "a"}), open(t, Config{Interface: "b", Frames: 256, MaxFrame: 9014})
	var sent [][]byte
	for n := range 200 {
		sent = append(sent, numbered(uint32(n), []int{60, 61, 1442, 1514, 9014}[n%5]))
	}
	n, err := a.Send(sent)
	if n != len(sent) || err != nil {
		t.Fatalf("Send took %d of %d: %v", n, len(sent), err)
	}
	got := receive(t, b, len(sent))
	if len(got) != len(sent) {
		t.Fatalf("%d of %d arrived", len(got), len(sent))
	}
	for i := range got {
		if !bytes.Equal(got[i], sent[i]) {
			t.Fatalf("frame %d: got % x..., want % x...", i, got[i][:20], sent[i][:20])
		}
	}
	if own := a.Next(); own != nil {
		t.Errorf("the sender received its own frame % x", own[:20])
	}
}

// TestRingGoesRound: slots are used again and again.
func TestRingGoesRound(t *testing.T) {
	veth(t, 1500)
	a, b := open(t, Config{Interface: "a"}), open(t, Config{Interface: "b", Frames: 16})
	for n := range uint32(1000) {
		if _, err := a.Send([][]byte{numbered(n, 100)}); err != nil {
			t.Fatal(err)
		}
		got := receive(t, b, 1)
		if len(got) != 1 || binary.BigEndian.Uint32(got[0][14:]) != n {
			t.Fatalf("frame %d: got %d frames %x", n, len(got), got)
		}
	}
	drops, err := b.Drops()
	if drops != 0 || err != nil {
		t.Errorf("%d drops, %v", drops, err)
	}
}

func TestFullRingIsCounted(t *testing.T) {
	veth(t, 1500)
	a, b := open(t, Config{Interface: "a"}), open(t, Config{Interface: "b", Frames: 16})
	var sent [][]byte
	for n := range 40 {
		sent = append(sent, numbered(uint32(n), 100))
	}
	_, err := a.Send(sent)
	must(t, err)
	if got := receive(t, b, 40); len(got) != 16 {
		t.Errorf("%d frames in a ring of 16", len(got))
	}
	for range 2 { // the kernel forgets, we do not
		if drops, err := b.Drops(); drops != 24 || err != nil {
			t.Errorf("%d drops, want 24; %v", drops, err)
		}
	}
}

func TestLongFrameIsCut(t *testing.T) {
	veth(t, 1500)
	a, b := open(t, Config{Interface: "a"}), open(t, Config{Interface: "b", MaxFrame: 100})
	_, err := a.Send([][]byte{numbered(1, 1000), numbered(2, 100)})
	must(t, err)
	got := receive(t, b, 1)
	if len(got) != 1 || len(got[0]) != 100 || b.Cut() != 1 {
		t.Errorf("%d frames, %d cut: want the one that fits", len(got), b.Cut())
	}
}

func TestSendTellsWhatTheKernelRefuses(t *testing.T) {
	veth(t, 1500)
	a := open(t, Config{Interface: "a"})
	n, err := a.Send([][]byte{numbered(1, 100), numbered(2, 1600), numbered(3, 100)})
	if n != 1 || !errors.Is(err, unix.EMSGSIZE) {
		t.Errorf("Send took %d: %v, want 1 and EMSGSIZE", n, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		story  string
		config Config
	}{
		{"no interface", Config{}},
		{"not a power of two", Config{Interface: "lo", Frames: 100}},
		{"too many frames", Config{Interface: "lo", Frames: 1 << 20}},
		{"frames too long", Config{Interface: "lo", MaxFrame: 1 << 20}},
		{"no such interface", Config{Interface: "upflab-none"}},
	} {
		if p, err := Open(c.config); err == nil {
			p.Close()
			t.Errorf("%s: opened", c.story)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	veth(t, 1500)
	a, b := open(t, Config{Interface: "a"}), open(t, Config{Interface: "b"})
	frames := [][]byte{numbered(1, 1442), numbered(2, 1442)}
	allocations := testing.AllocsPerRun(100, func() {
		a.Send(frames)
		for b.Next() != nil {
			b.Release()
		}
	})
	if allocations != 0 {
		t.Errorf("%v allocations for two frames", allocations)
	}
}

func BenchmarkSendAndReceive(bench *testing.B) {
	veth(bench, 1600)
	a, b := open(bench, Config{Interface: "a"}), open(bench, Config{Interface: "b"})
	frames := make([][]byte, 8)
	for i := range frames {
		frames[i] = numbered(uint32(i), 1442)
	}
	received := 0
	for bench.Loop() {
		a.Send(frames)
		for b.Next() != nil {
			b.Release()
			received++
		}
	}
	bench.ReportMetric(float64(bench.Elapsed().Nanoseconds())/float64(received), "ns/frame")
}

package xdp

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// spreadLab spreads packets among two CPUs, with something at the other ends that takes what is
// redirected.
func spreadLab(t *testing.T, mode Mode) (l *lab, gnb, dn *tap) {
	t.Helper()
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs")
	}
	cfg := labConfig()
	cfg.Mode, cfg.CPUs = mode, []int{0, 1}
	l = newLab(t, cfg)
	return l, openTap(t, "n3p"), openTap(t, "n6p")
}

// TestSpread sends every frame that is forwarded through two CPUs. XDP leaves Ethernet's padding
// behind a packet.
func TestSpread(t *testing.T) {
	for _, mode := range []Mode{Native, Generic} {
		t.Run(string(mode), func(t *testing.T) {
			l, _, _ := spreadLab(t, mode)
			livetest.ForwardingPadded(t, l.dp)
		})
	}
}

// TestSpreadKeepsOrder: packets of a session come in their order, beside those of another one
// that another CPU has.
func TestSpreadKeepsOrder(t *testing.T) {
	l, gnb, dn := spreadLab(t, Native)
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	in, out := liveFrame(t, "n3 psc")
	const packets = 2000
	var got []uint32
	buf := make([]byte, 4096)
	receive := func() bool {
		n, _, err := unix.Recvfrom(dn.fd, buf, unix.MSG_DONTWAIT)
		if err == nil && n == len(out) && bytes.Equal(buf[:34], out[:34]) {
			got = append(got, binary.BigEndian.Uint32(buf[n-4:]))
		}
		return err == nil
	}
	for i := range packets {
		binary.BigEndian.PutUint32(in[len(in)-4:], uint32(i))
		gnb.send(t, in)
		other := slices.Clone(in) // a TEID that nobody has
		binary.BigEndian.PutUint32(other[46:], uint32(1000+i))
		gnb.send(t, other)
		for receive() {
		}
	}
	for end := time.Now().Add(2 * time.Second); len(got) < packets && time.Now().Before(end); {
		receive()
	}
	if len(got) < packets/2 || !slices.IsSorted(got) { // a busy machine loses some in the rings
		t.Errorf("%d of %d packets came, in order: %v", len(got), packets, slices.IsSorted(got))
	}
	all := l.dp.Workers()
	if len(all) != 2 || all[0].Received+all[1].Received < packets || all[0].Received == 0 || all[1].Received == 0 ||
		all[0].Sent != 0 && all[1].Sent != 0 {
		t.Errorf("the CPUs did %+v, want one to have sent all, and both to have received some", all)
	}
}

// TestSpreadLeavesTheRest: what is for the machine itself reaches it.
func TestSpreadLeavesTheRest(t *testing.T) {
	_, gnb, _ := spreadLab(t, Native)
	request := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 3, 2, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1,
		2, 0, 0, 0, 3, 2, 192, 0, 2, 2, 0, 0, 0, 0, 0, 0, 192, 0, 2, 1}
	gnb.send(t, request)
	gnb.expect(t, "the answer to an ARP request", func(got []byte) bool {
		return len(got) >= 42 && got[12] == 8 && got[13] == 6 && got[21] == 2 && bytes.Equal(got[28:32], []byte{192, 0, 2, 1})
	})
}

// TestSpreadRefuses CPUs that are not there.
func TestSpreadRefuses(t *testing.T) {
	buildNetwork(t)
	for want, cpus := range map[string][]int{"no such CPU": {0, 4095}, "there twice": {1, 1}, "is no CPU": {-1},
		"at most 64": make([]int, 65)} {
		cfg := labConfig()
		cfg.CPUs = cpus
		dp, err := Open(cfg)
		if err == nil {
			dp.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CPUs %v: error %v, want %q", cpus, err, want)
		}
	}
}

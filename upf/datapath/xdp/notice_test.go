package xdp

import (
	"bytes"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

func TestNotices(t *testing.T) {
	l := newLab(t, labConfig())
	livetest.Notices(t, l.dp, 9000, func(program string, frame []byte) { l.run(t, program, frame) })
}

// TestNoticesAreBounded: a UE has ten a second, whatever it sends.
func TestNoticesAreBounded(t *testing.T) {
	l := newLab(t, labConfig())
	got := make(chan struct{}, 10000)
	l.dp.OnNotice(func(datapath.Notice) { got <- struct{}{} })
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	began := time.Now()
	for _, f := range datapathtest.Frames(t) {
		if f.Name == "n3 ipv6 link-local source" {
			for range 1000 {
				l.run(t, f.Program, f.Input(t))
			}
		}
	}
	wait.Until(10*time.Second, 10*time.Millisecond, func() bool { return len(got) > 0 })
	time.Sleep(100 * time.Millisecond) // any further ones would have come by then
	// A window is a little over a second.
	if n, most := len(got), 10*(2+int(time.Since(began)/time.Second)); n == 0 || n > most {
		t.Errorf("%d of 1000 packets were handed on, at most %d should be", n, most)
	}
}

// TestTooBigIsNoticed: a downlink IPv4 packet that does not fit its tunnel, where it must not be
// fragmented.
func TestTooBigIsNoticed(t *testing.T) {
	l := newLab(t, labConfig())
	got := make(chan datapath.Notice, 10)
	l.dp.OnNotice(func(n datapath.Notice) {
		n.Packet = bytes.Clone(n.Packet)
		got <- n
	})
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	for _, f := range datapathtest.Frames(t) {
		if f.Name != "n6 too big, no qfi" && f.Name != "n6 too big, df" {
			continue
		}
		frame := f.Input(t)
		l.run(t, f.Program, frame)
		if f.Name == "n6 too big, no qfi" {
			continue // without DF: it is fragmented
		}
		select {
		case n := <-got:
			if n.Uplink || n.MTU != 1500-44 || n.SEID == 0 || len(n.Packet) < 576 || !bytes.Equal(n.Packet, frame[14:14+len(n.Packet)]) {
				t.Errorf("session %d, uplink %v, MTU %d, packet %x", n.SEID, n.Uplink, n.MTU, n.Packet)
			}
		case <-time.After(10 * time.Second):
			t.Error("nothing was handed on")
		}
	}
	if len(got) != 0 {
		t.Error("the packet without DF was handed on, too")
	}
}

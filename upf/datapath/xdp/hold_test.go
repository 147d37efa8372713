package xdp

import (
	"bytes"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// TestHold hands packets of a FAR with BUFF on, in their order, and no others.
func TestHold(t *testing.T) {
	l := newLab(t, labConfig())
	got := make(chan []byte, 100)
	l.dp.OnHold(func(h datapath.Held) {
		if h.SEID == 1 && h.PDR == 2 && !h.Copy {
			got <- bytes.Clone(h.TPDU)
		}
	})
	r := pair(1, "10.45.0.2", 1, func(r *session.Rules) { r.FARs[1].Action = session.Buffer | session.Notify })
	must(t, "Apply", l.dp.Apply([]datapath.Change{{New: r}}))
	for _, name := range []string{"qfi", "tcp", "options"} {
		in, _ := liveFrame(t, "n6 "+name)
		if verdict, _ := l.run(t, "n6", in); verdict != xdpDrop {
			t.Errorf("%s: verdict %d, want drop", name, verdict)
		}
		select {
		case tpdu := <-got:
			if !bytes.Equal(tpdu, in[14:]) {
				t.Errorf("%s: handed on\n%x, want\n%x", name, tpdu, in[14:])
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: not handed on", name)
		}
	}
	found := pair(1, "10.45.0.2", 1, nil)
	must(t, "page", l.dp.Apply([]datapath.Change{{Old: r, New: found}}))
	if n := l.send(t, "n6", "qfi", 1); n != 1 || len(got) != 0 {
		t.Errorf("%d forwarded, %d handed on after the change: want 1 and 0", n, len(got))
	}
	c, err := l.dp.Counters()
	must(t, "Counters", err)
	if n := c.Drops[datapath.ReasonBuffered]; n != 3 {
		t.Errorf("%d are counted as buffered, want 3", n)
	}
}

package xdp

import (
	"testing"
	"time"

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
	time.Sleep(100 * time.Millisecond)
	// A window is a little over a second.
	if n, most := len(got), 10*(2+int(time.Since(began)/time.Second)); n == 0 || n > most {
		t.Errorf("%d of 1000 packets were handed on, at most %d should be", n, most)
	}
}

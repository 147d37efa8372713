package xdp

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// A run of the kernel that ends in mid-trial, as each does after 2^32 calls, makes
// the schedule wait: every slot is sent, and none at once with those before it.
func TestScheduleWaitsBetweenRuns(t *testing.T) {
	tb := sitetest.Build(t)
	arrived := openCapture(t, tb.Links().UPFN3)
	flow := testFlow(record.Uplink, 64, traffic.Expect{})
	g, err := newGenerator(flow, 0, tb.Links().GNB, core{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	s := traffic.Schedule{PPS: lowRate, Duration: 300 * time.Millisecond}
	c, err := g.prepare(s, testTrial)
	if err != nil {
		t.Fatal(err)
	}
	run := startLive(g.objects.Paced, g.page, c.Batch, g.port, g.core.cpu, g.again)
	if err := g.begin(t.Context(), &c, run.ended); err != nil {
		t.Fatal(err)
	}
	stray := time.AfterFunc(100*time.Millisecond, func() { unix.Tgkill(unix.Getpid(), run.tid, unix.SIGURG) })
	defer stray.Stop()
	if err := g.follow(t.Context(), &c, s, traffic.Marks{}, run.ended); err != nil {
		t.Fatal(err)
	}
	g.silence(&c)
	if err := run.stop(); err != nil {
		t.Fatal(err)
	}
	p := g.progress()
	if p.Sent != c.Slots || p.Shifted == 0 {
		t.Errorf("%d of %d slots were sent, the schedule waited for %v", p.Sent, c.Slots, time.Duration(p.Shifted))
	}
	frames := ours(arrived.frames(t), flow)
	if len(frames) != int(c.Slots) {
		t.Errorf("%d frames arrived, want %d", len(frames), c.Slots)
	}
	if waited := time.Duration(p.Shifted); waited > 5*time.Millisecond && time.Duration(p.LatenessMax) > waited-time.Millisecond {
		t.Errorf("a slot was %v late: the schedule did not wait for the %v between two runs", time.Duration(p.LatenessMax), waited)
	}
}

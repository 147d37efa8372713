package forward

import (
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

// TestTimesOfPackets: of the first packet since the usage was marked, and of the last. The system's clock is asked once
// for each time of the routers' clock.
func TestTimesOfPackets(t *testing.T) {
	f := forwarderFor(t)
	r := datapathtest.FrameSessions()[10] // counted by URRs 1 and 2
	var frame []byte
	for _, one := range datapathtest.Frames(t) {
		if one.Name == "n6 counted" {
			frame = one.Input(t)
		}
	}
	came := func(now uint64) session.Usage {
		d := f.Decide(Downlink, frame, now)
		f.Forwarded(&d)
		u, err := f.Usage(r.SEID, 1)
		if err != nil || d.Verdict != Forward {
			t.Fatal(d.Verdict, err)
		}
		return u
	}
	began := time.Now()
	first := came(1)
	if again := came(1); !again.First.Equal(first.First) || !again.Last.Equal(first.Last) || first.First.Before(began) {
		t.Errorf("of one batch: first %v, last %v, then %v and %v", first.First, first.Last, again.First, again.Last)
	}
	time.Sleep(time.Millisecond)
	later := came(2)
	if !later.First.Equal(first.First) || !later.Last.After(first.Last) {
		t.Errorf("later: first %v, last %v, after %v", later.First, later.Last, first.Last)
	}
	f.Mark(r.SEID, 1)
	time.Sleep(time.Millisecond)
	if marked := came(3); !marked.First.After(later.Last) || !marked.First.Equal(marked.Last) {
		t.Errorf("marked: first %v, last %v, after %v", marked.First, marked.Last, later.Last)
	}
}

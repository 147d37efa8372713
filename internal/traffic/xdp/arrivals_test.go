package xdp

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/traffic"
)

// Frames are due when the schedule says, whatever the arrival process.
func TestGeneratorArrivals(t *testing.T) {
	tb := sitetest.Build(t)
	arrived := openCapture(t, tb.Links().UPFN3)
	g, err := newGenerator(testFlow(record.Uplink, 64, traffic.Expect{}), 0, tb.Links().GNB, core{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	onOff, err := traffic.OnOff(lowRate, 10*time.Millisecond, 20*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	var trial uint16
	for name, a := range map[string]traffic.Arrivals{
		"constant": nil, "Poisson": traffic.Poisson(3), "bursts": traffic.Bursts(8), "bursts of 7": traffic.Bursts(7), "on/off": onOff,
	} {
		trial += 2
		s := traffic.Schedule{PPS: lowRate, Duration: shortTrial, Arrivals: a}
		control, err := g.prepare(s, trial)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.send(t.Context(), &control, s, traffic.Marks{}); err != nil {
			t.Fatal(err)
		}
		frames := ours(arrived.frames(t), testFlow(record.Uplink, 64, traffic.Expect{}))
		if want := int(s.Slots(shortTrial)); len(frames) != want {
			t.Fatalf("%s: %d frames arrived, want %d", name, len(frames), want)
		}
		const rounding = 500 // ns: a slot's distance is rounded down to 1/65536 ns each time
		for i, frame := range frames {
			due := readSignature(t, frame[len(frame)-64:]).Intended - control.Start
			if want := uint64(s.Span(uint64(i))); due > want+rounding || want > due+rounding {
				t.Fatalf("%s: frame %d is due at %d ns, want %d", name, i, due, want)
			}
		}
	}
}

// Further rounds of a reshuffled table are those of the schedule: 70,000 frames go past the first.
func TestGeneratorReshuffles(t *testing.T) {
	tb := sitetest.Build(t)
	g, err := newGenerator(testFlow(record.Uplink, 64, traffic.Expect{}), 0, tb.Links().GNB, core{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	s := traffic.Schedule{PPS: 100_000, Duration: 1500 * time.Millisecond, Arrivals: traffic.Poisson(3), Reshuffle: true}
	control, err := g.prepare(s, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.send(t.Context(), &control, s, traffic.Marks{}); err != nil {
		t.Fatal(err)
	}
	p := g.progress()
	want := uint64(s.Span(p.Slot)) // of the slot after the last one
	if got := p.Next >> 16; p.Slot < 2*traffic.MaxArrivals || got > want+want/1e4+1000 || want > got+want/1e4+1000 {
		t.Errorf("slot %d is due at %d ns, want %d", p.Slot, got, want)
	}
}

// What a stall has made late is sent at twice the rate, but for the last few.
func TestGeneratorCatchesUp(t *testing.T) {
	tb := sitetest.Build(t)
	arrived := openCapture(t, tb.Links().UPFN3)
	g, err := newGenerator(testFlow(record.Uplink, 64, traffic.Expect{}), 0, tb.Links().GNB, core{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	const stall, together = 50 * time.Millisecond, 32
	s := traffic.Schedule{PPS: lowRate, Duration: 2 * shortTrial}
	control, err := g.prepare(s, 2)
	if err != nil {
		t.Fatal(err)
	}
	late := func() { g.write(control, control.Start-uint64(stall)) }
	if err := g.send(t.Context(), &control, s, traffic.Marks{Start: late}); err != nil {
		t.Fatal(err)
	}
	frames := ours(arrived.frames(t), testFlow(record.Uplink, 64, traffic.Expect{}))
	if want := int(s.Slots(s.Duration)); len(frames) != want {
		t.Fatalf("%d frames arrived, want %d: none is skipped", len(frames), want)
	}
	gap, sent := s.Gap()>>16, []uint64{}
	for _, frame := range frames {
		sent = append(sent, readSignature(t, frame[len(frame)-64:]).Sent)
	}
	for i := range sent[:len(sent)-2*together] {
		if took := sent[i+2*together] - sent[i]; took < (together-2)*gap/2 {
			t.Fatalf("frames %d to %d were sent within %d ns, at twice the rate it would be %d less %d at once", i,
				i+2*together, took, together*gap, together)
		}
	}
	if took := time.Duration(sent[len(sent)-1] - sent[0]); took > s.Duration-stall/2 {
		t.Errorf("all was sent in %v: it was %v late and did not catch up", took, stall)
	}
}

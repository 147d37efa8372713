package n4

import (
	"testing"
	"time"
)

// TestMonitoringTime: usage before and after it is reported apart, and what was given for the
// time after it holds.
func TestMonitoringTime(t *testing.T) {
	for _, c := range []struct {
		story, begin string
		after        []uint64 // downlink octets at 20 s, and each 10 s
		reports      []string
	}{
		{"subsequent threshold", "establish-monitored", []uint64{300, 300}, []string{"report-monitored", "report-monitored-again"}},
		{"what is left of the threshold", "establish-monitored-plain", []uint64{400}, []string{"report-monitored-rest"}},
		{"nothing is reported before", "establish-monitored-plain", []uint64{399}, nil},
		{"subsequent quota", "establish-monitored-quota", []uint64{500}, []string{"report-monitored-quota"}},
	} {
		t.Run(c.story, func(t *testing.T) {
			b := newBench(t, nil)
			b.play("setup", c.begin)
			sent := b.listen()
			b.until(10 * time.Second)
			b.use(traffic{600, 0})
			b.settle()
			b.until(15 * time.Second)
			for i, octets := range c.after {
				b.until(20*time.Second + time.Duration(i)*10*time.Second)
				b.use(traffic{0, octets})
				b.settle()
			}
			b.wantSent(*sent, c.reports)
		})
	}
}

// until lets the bench's time pass, in steps of a second.
func (b *bench) until(after time.Duration) {
	for end := time.Unix(1_800_000_000, 0).Add(after); b.now.Before(end); {
		b.now = b.now.Add(time.Second)
		b.settle()
	}
}

// TestMonitoringTimeAndEnd: the answer to a deletion has both reports.
func TestMonitoringTimeAndEnd(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-monitored")
	b.listen()
	b.until(10 * time.Second)
	b.use(traffic{600, 0})
	b.until(20 * time.Second)
	b.play("delete-monitored")
}

// TestAdditionalMonitoringTimes: usage before, between and after them is reported apart.
func TestAdditionalMonitoringTimes(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-monitored-more")
	sent := b.listen()
	b.until(10 * time.Second)
	b.use(traffic{600, 0})
	b.until(20 * time.Second)
	b.use(traffic{0, 299})
	b.until(30 * time.Second)
	b.use(traffic{0, 199})
	b.settle()
	b.wantSent(*sent, nil)
	b.use(traffic{0, 1})
	b.settle()
	b.wantSent(*sent, []string{"report-monitored-more"})
	newBench(t, nil).play("setup", "monitored-without-time")
}

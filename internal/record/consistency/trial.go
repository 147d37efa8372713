package consistency

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// lossNone is the loss of a paced trial that counts as carried whole (LimitNone).
const lossNone = 1e-5

// limits are the values of LimitedBy of trials.
var limits = []record.Limit{record.LimitNone, record.LimitDUT, record.LimitGenerator, record.LimitLink, record.LimitHost, record.LimitUnknown}

// trial checks that what a trial says of its packets, its time and its verdict agrees.
func (c *checker) trial(t *record.Trial, path string) {
	c.judged(path, t.Valid, t.Reasons)
	if t.Valid && len(t.Faults) > 0 {
		c.say(path, "it is valid, with faults %v", t.Faults)
	}
	if t.LimitedBy != "" && !slices.Contains(limits, t.LimitedBy) {
		c.say(path, "limited by %q", t.LimitedBy)
	}
	if t.LimitedBy == record.LimitNone && t.FrameLossRatio > lossNone {
		c.say(path, "limited by none, with a loss ratio of %v", t.FrameLossRatio)
	}
	if t.LimitedBy == record.LimitDUT && t.RxPackets >= t.TxPackets && !slices.Contains(t.Faults, record.FaultDUTEnded) {
		c.say(path, "limited by the DUT, which lost nothing")
	}
	c.packets(t, path)
	c.places(t, path)
	c.rates(t, path)
	c.parts(t, path)
	for i := 1; i < len(t.Series); i++ {
		c.ascending(path, "a point", t.Series[i-1].T, "the next", t.Series[i].T)
	}
}

// packets: nothing arrives that was not sent, unless the trial says that its counters are wrong.
func (c *checker) packets(t *record.Trial, path string) {
	if slices.Contains(t.Faults, record.FaultCounters) {
		return
	}
	sent, arrived := t.TxPackets, t.RxPackets+t.Wrong
	if x := t.Excluded; x != nil {
		sent, arrived = sent+x.TxPackets, arrived+x.RxPackets
	}
	slack := uint64(countSlack * float64(sent))
	c.atMost(path, "arrived", arrived, "sent", sent+slack)
	var wrong, lost uint64
	for _, w := range t.WrongWhy {
		wrong += w.Packets
	}
	if len(t.WrongWhy) > 0 && wrong != t.Wrong {
		c.say(path, "%d wrong packets, and %d by their reasons", t.Wrong, wrong)
	}
	for i, r := range t.LossRuns {
		lost += r.Length * r.Count
		if i > 0 && t.LossRuns[i-1].Length >= r.Length {
			c.say(path, "loss runs are not ascending")
		}
	}
	c.atMost(path, "lost in runs", lost, "lost in the whole trial", t.WholeLost())
}

// countSlack is how many more packets may be counted than were sent before that is a fault.
const countSlack = 0.0001

// places: what no counter has is what is missing besides.
func (c *checker) places(t *record.Trial, path string) {
	missing := t.WholeLost()
	missing -= min(missing, t.Wrong)
	for _, d := range t.Drops {
		missing -= min(missing, d.Packets)
	}
	if t.Unattributed != missing {
		c.say(path, "%d packets without a place, and %d are missing besides those with one", t.Unattributed, missing)
	}
	if e := t.Evidence; e != nil {
		c.atMost(path, "dropped at queues", e.QueueDrops, "dropped in the DUT", e.DUTDrops)
	}
}

// rates are packets over the time that was taken for them.
func (c *checker) rates(t *record.Trial, path string) {
	if t.DurationS <= 0 || t.TxPackets == 0 {
		return
	}
	if tx := float64(t.TxPackets) / t.DurationS; !near(t.TxPPS, tx) {
		c.say(path, "%v packets/s sent, and %d packets in %v s are %v", t.TxPPS, t.TxPackets, t.DurationS, tx)
	}
	if rx := float64(t.RxPackets) / t.DurationS; t.RxPPS > rx && !near(t.RxPPS, rx) {
		c.say(path, "%v packets/s received, and %d packets in %v s are %v", t.RxPPS, t.RxPackets, t.DurationS, rx)
	}
	// Of one size octets and bits are known: units that are not alike would show.
	if bits := 8 * float64(t.FrameBytes) * t.TxPPS; !t.Mixed && t.Direction != record.Both && t.TxL2bps > 0 &&
		(t.TxL2bps < 0.98*bits || t.TxL2bps > 1.02*bits) {
		c.say(path, "%v bits/s sent, and %v frames/s of %d octets are %v", t.TxL2bps, t.TxPPS, t.FrameBytes, bits)
	}
}

// parts add up to what they are parts of.
func (c *checker) parts(t *record.Trial, path string) {
	var cores float64
	for _, p := range t.CPU.DUTParts {
		cores += p.Cores
	}
	if d := t.CPU.DUTCores - cores; len(t.CPU.DUTParts) > 0 && (d > coresRounded || d < -coresRounded) {
		c.say(path, "%v cores used, and %v by their parts", t.CPU.DUTCores, cores)
	}
	if n := len(t.Flows); n > 0 {
		var sent, arrived uint64
		for _, f := range t.Flows {
			sent, arrived = sent+f.TxPackets, arrived+f.RxPackets
		}
		if sent != t.TxPackets || arrived != t.RxPackets {
			c.say(path, "%d sent and %d received, and %d and %d by directions", t.TxPackets, t.RxPackets, sent, arrived)
		}
	}
}

// coresRounded is half of the last digit of parts that were rounded before they were kept, cores.
const coresRounded = 1e-3

func (c *checker) excluded(x *record.Excluded, path string) {
	c.atMost(path, "windows disturbed", x.Windows, "windows", x.Of)
	for _, d := range x.Causes {
		if d.Count == 0 || d.Longest > d.Seconds*(1+rounding) || d.Longest <= 0 {
			c.say(path, "%s %q %d times for %v s, %v s the longest", d.Cause, d.Who, d.Count, d.Seconds, d.Longest)
		}
	}
}

// latency wants quantiles in order, the mean between the extremes, intervals around their
// points, and a histogram of all values.
func (c *checker) latency(l *record.Latency, path string) {
	c.ascending(path, "min", float64(l.Min), "p50", float64(l.P50), "p90", float64(l.P90), "p95", float64(l.P95), "p99", float64(l.P99),
		"p999", float64(l.P999), "p9999", float64(l.P9999), "max", float64(l.Max))
	c.ascending(path, "min", float64(l.Min), "the mean", l.Mean, "max", float64(l.Max))
	for _, q := range []struct {
		name           string
		low, at, above uint64
	}{{"p50", l.P50Low, l.P50, l.P50High}, {"p99", l.P99Low, l.P99, l.P99High},
		{"p999", l.P999Low, l.P999, l.P999High}, {"p9999", l.P9999Low, l.P9999, l.P9999High}} {
		c.ascending(path, "the lower bound of "+q.name, float64(q.low), q.name, float64(q.at), "its upper bound", float64(q.above))
	}
	var n uint64
	for i, b := range l.Buckets {
		n += b.Count
		if i > 0 && l.Buckets[i-1].UpTo >= b.UpTo {
			c.say(path, "the buckets are not ascending")
		}
	}
	if len(l.Buckets) > 0 && n != l.Count {
		c.say(path, "%d values, and %d in its buckets", l.Count, n)
	}
}

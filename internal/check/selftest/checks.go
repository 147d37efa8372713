package selftest

import (
	"strings"

	"github.com/upflab/upflab/internal/lab/dut/calibrator"
	"github.com/upflab/upflab/internal/record"
)

// check compares one trial with the truth. all is the experiment's evidence.
type check func(e evidence, all []evidence) []Row

// counts has to agree packet for packet. What did not reach the device, because
// a ring was full, counts by upflab's own places.
func counts(e evidence, _ []evidence) []Row {
	a, t := e.account, e.trial
	before := e.placed(record.PlaceUPFRing, calibrator.RingFull)
	after := e.placed(record.PlaceSinkRing, record.PlaceSinkSocket)
	lost := a.Received - a.Right - a.Lost["egress"]
	if faulty := a.Corrupted + a.WrongTEID; lost >= faulty {
		lost -= faulty
	}
	rows := []Row{
		exact("reached the device", a.Received, t.TxPackets-min(before, t.TxPackets)),
		exact("received", a.Right-min(after, a.Right), t.RxPackets),
		exact("lost in the device", lost, less(t.TxPackets, before+after+t.RxPackets+t.Wrong)),
		unattributed(t.Unattributed),
		exact("duplicated", a.Duplicated, t.Duplicates),
		exact("reordered", a.Reordered, t.Reordered),
		exact("wrong", a.Corrupted+a.WrongTEID, t.Wrong),
	}
	if a.WrongTEID > 0 {
		rows = append(rows, exact("wrong TEID", a.WrongTEID, because(t, "TEID")))
	}
	return rows
}

// unattributed has to be none. Places are totals that are read in the silence before
// a trial, which a busy machine may be too late for.
func unattributed(n uint64) Row {
	r := exact("lost without a place", 0, n)
	r.bends = true
	return r
}

func because(t record.Trial, why record.Place) (n uint64) {
	for _, w := range t.WrongWhy {
		if w.Place == why {
			n += w.Packets
		}
	}
	return n
}

func less(a, b uint64) uint64 {
	if b > a {
		return 0
	}
	return a - b
}

// The tolerances of times: 2 us is what the device's own sending and the sink's
// receiving take, 1 % is less than a histogram's bucket.
const (
	timeSlackNS = 2000
	timeShare   = 0.01
	jitterShare = 0.05
	rateShare   = 0.01
)

func timeRow(quantity string, truth, measured float64) Row {
	return within(quantity, Nanoseconds, truth, measured, timeSlackNS+timeShare*truth)
}

// latency compares upflab's with the time from each packet's intended sending to
// its departure, as the device has it.
func latency(e evidence, _ []evidence) []Row {
	a, t := e.account.Latency, e.trial.Latency
	if t == nil {
		return []Row{failed("latency", "upflab has none")}
	}
	return []Row{
		timeRow("latency mean", a.Mean, t.Mean),
		timeRow("latency p50", float64(a.P50), float64(t.P50)),
		timeRow("latency p99", float64(a.P99), float64(t.P99)),
	}
}

// added compares what a delay adds to upflab's latency, over the same trial of
// the device without one, with what the device added to its packets. Only the
// median: higher quantiles of two trials do not subtract.
func added(e evidence, all []evidence) []Row {
	plain, found := baseline(e, all)
	if !found || plain.trial.Latency == nil || e.trial.Latency == nil {
		return []Row{failed("added delay", "there is no trial without delay to compare with")}
	}
	t, p, a, b := e.trial.Latency, plain.trial.Latency, e.account.Delay, plain.account.Delay
	return []Row{timeRow("added delay p50", float64(a.P50)-float64(b.P50), float64(t.P50)-float64(p.P50))}
}

// baseline is the same trial of the device that does nothing.
func baseline(e evidence, all []evidence) (evidence, bool) {
	for _, x := range all {
		if x.label == "calibrator" && x.name() == e.name() && x.account != nil {
			return x, true
		}
	}
	return evidence{}, false
}

// jitter compares RFC 3550's.
func jitter(e evidence, _ []evidence) []Row {
	truth := e.account.SendJitterNS
	return []Row{within("jitter", Nanoseconds, truth, e.trial.JitterNS, jitterShare*truth)}
}

// rate compares what a full device carries with its server's rate, packets/s.
func rate(pps float64) check {
	return func(e evidence, _ []evidence) []Row {
		if e.trial.Kind != record.KindLoad {
			return nil
		}
		return []Row{within("received rate", PerSecond, pps, e.trial.RxPPS, rateShare*pps)}
	}
}

// room compares what stays of each burst with the queue's room.
func room(queue, burst float64) check {
	return func(e evidence, _ []evidence) []Row {
		if e.trial.Kind != record.KindLoad {
			return nil
		}
		bursts := float64(e.trial.TxPackets) / burst
		return []Row{within("queue, from bursts", Packets, queue, float64(e.trial.RxPackets)/bursts, 1)}
	}
}

// verdict compares what upflab says limited the trial.
func verdict(truth record.Limit) check {
	return func(e evidence, _ []evidence) []Row {
		if e.trial.Kind != record.KindLoad {
			return nil
		}
		return []Row{word("limited by", string(truth), string(e.trial.LimitedBy))}
	}
}

// buffer compares the queue that back-to-back finds, within one packet.
func buffer(s search, packets float64) Row {
	var row Row
	if s.Bursts == nil || !s.Valid {
		row = failed("buffer", "back-to-back has no result: %s", strings.Join(s.Reasons, "; "))
	} else {
		row = within("queue, from back-to-back", Packets, packets, s.Bursts.BufferPackets, 1)
	}
	row.Device, row.Trial, row.bends = s.label, string(s.Direction)+" search", true
	return row
}

// searched compares the non-drop rate that a search finds.
func searched(s search, pps float64) Row {
	row := within("non-drop rate", PerSecond, pps, s.NDRPPS, rateShare*pps)
	row.Device, row.Trial = s.label, string(s.Direction)+" search"
	return row
}

package rawdata

import (
	"bytes"
	"fmt"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/proto/histogram"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// The distributions of histogramsFile. Values are ns, but those of extent, which are packets.
const (
	due         = "due"          // latency from the intended send time; its parts are blocks of time
	dueExcluded = "due_excluded" // the same of what does not count
	sent        = "sent"         // latency from the real send time
	ipdv        = "ipdv"
	extent      = "extent"
	roundTrip   = "round_trip"
	nic         = "nic"
	lateness    = "lateness" // of the generator
	point       = "point"    // latency of a point of the series; its parts are their numbers, from 0
)

// whole is the part of values that are in no part of a time.
const whole = -1

// windows are the rows of a trial's counts: sums of a flow's rows are its counts, so that what was in
// no window has a row, too, of length 0.
func windows(b *bytes.Buffer, id uint64, o *traffic.Outcome) {
	rows := func(name string, l *traffic.Tallies, all traffic.Tally, counts int) {
		for _, t := range l.List {
			windowRow(b, id, name, t.ID<<(l.Level+window.Bits), uint64(window.Width)<<l.Level, counts, t)
		}
		if rest := all.Less(l.Sum()); rest != (traffic.Tally{}) {
			windowRow(b, id, name, 0, 0, counts, rest)
		}
	}
	rows(generator, &o.Tallies, traffic.Tally{Intended: o.Intended, Sent: o.Sent, Skipped: o.Skipped, Late: o.LateSlots, Stalls: o.Stalls}, 1)
	x := &o.Excluded
	rows(generator, &x.Tallies, traffic.Tally{Intended: x.Intended, Sent: x.Sent, Skipped: x.Skipped, Late: x.LateSlots, Stalls: x.Stalls}, 0)
	for i := range o.Flows {
		f := &o.Flows[i]
		rows(flowNames[i], &f.Tallies, traffic.Tally{Sent: f.Sent, SentBytes: f.SentBytes, Received: f.Received,
			ReceivedBytes: f.ReceivedBytes, Jitter: f.Jitter}, 1)
	}
	for i, n := range x.Received {
		l := &x.FlowTallies[i]
		all := l.Sum()
		all.Received = n
		rows(flowNames[i], l, all, 0)
	}
}

func windowRow(b *bytes.Buffer, id uint64, flow string, begin, length uint64, counts int, t traffic.Tally) {
	fmt.Fprintf(b, "%d,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d,%d\n", id, flow, begin, length, counts, t.Intended, t.Skipped, t.Late,
		t.Stalls, t.Sent, t.SentBytes, t.Received, t.ReceivedBytes, t.Jitter.Sum, t.Jitter.Count)
}

// histograms are the rows of a trial's buckets that are not empty.
func histograms(b *bytes.Buffer, id uint64, r *trial.Raw) {
	rows := func(flow, what string, part int64, h *traffic.Histogram) {
		for i, n := range h.Counts {
			bucketRow(b, id, flow, what, part, i, n)
		}
	}
	o := &r.Outcome
	rows(generator, lateness, whole, &o.Lateness)
	for i := range o.Flows {
		f, name := &o.Flows[i], flowNames[i]
		rest := f.Latency.Counts
		for _, block := range f.Blocks.List {
			for j, n := range block.Counts {
				bucketRow(b, id, name, due, int64(block.ID), j, uint64(n))
				rest[j] -= uint64(n)
			}
		}
		rows(name, due, whole, &traffic.Histogram{Counts: rest})
		rows(name, sent, whole, &f.Actual)
		rows(name, ipdv, whole, &f.IPDV)
		rows(name, extent, whole, &f.Extents)
		rows(name, roundTrip, whole, &f.RoundTrips.Returns)
		rows(name, nic, whole, &f.Stamps.Latency)
	}
	for i := range o.Excluded.Latency {
		rows(flowNames[i], dueExcluded, whole, &o.Excluded.Latency[i])
	}
	for i, p := range r.Series {
		rows(generator, point, int64(i), p.Latency)
	}
}

func bucketRow(b *bytes.Buffer, id uint64, flow, what string, part int64, bucket int, n uint64) {
	if n > 0 {
		fmt.Fprintf(b, "%d,%s,%s,%d,%d,%d\n", id, flow, what, part, histogram.Upper(bucket), n)
	}
}

func passages(b *bytes.Buffer, id uint64, r *trial.Raw) {
	for _, p := range r.Passages {
		fmt.Fprintf(b, "%d,%s,%d,%d,%d,%d\n", id, p.Direction, p.Due, p.SinceDue, p.Took, p.Session)
	}
}

package selftest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut/calibrator/impair"
	"github.com/upflab/upflab/internal/measure/behaviour/exactness"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
)

// What is offered to token buckets: how often, so that a median is there, at what rate in
// bit/s, and in T-PDUs of so many octets.
const (
	policedTimes   = 5
	policedOffered = 150e6
	policedOctets  = 1400
)

// policedError is by how much the rate may be off.
const policedError = 0.002

// buckets are calibrators that police.
func buckets(quick bool) (list []device) {
	plans := []string{"mbr=90M,bucket=200000", "mbr=20M,bucket=1000000", "mbr=99.5M,bucket=50000", "mbr=120M,bucket=500000"}
	if quick {
		plans = plans[:2]
	}
	for _, p := range plans {
		list = append(list, device{name: "calibrator:" + p})
	}
	return list
}

// police measures the devices as qos-accuracy does.
func (t *Test) police(ctx context.Context, p *campaign.Job, r *record.Result) (rows []Row, err error) {
	p.Scenario.Kind, p.Save = scenario.KindQoS, func(r *record.Result) error { return store.Save(p.Dir, r) }
	for _, up := range []bool{true, false} {
		for n := range policedTimes {
			p.Cases = append(p.Cases, exactness.Measured(fmt.Sprintf("%s.%d", directionName(up), n), policedOffered,
				policedOffered, policedOctets, up, p.Scenario.Duration.Duration))
		}
	}
	seen := &collector{say: t.Say}
	if err := campaign.Run(ctx, p, seen, r); err != nil {
		return nil, err
	}
	for _, why := range seen.failures {
		rows = append(rows, failed("the run", "%s", why))
	}
	for i := range r.DUTs {
		rows = append(rows, policedRows(&r.DUTs[i])...)
	}
	return rows, nil
}

func directionName(up bool) record.Direction {
	if up {
		return record.Uplink
	}
	return record.Downlink
}

// policedRows compares what was measured of a device with its bucket.
func policedRows(d *record.DUT) (rows []Row) {
	plan, err := impair.Parse(d.Mode)
	if err != nil {
		return []Row{failed("the device's plan", "%v", err)}
	}
	for _, c := range d.Cases {
		if c.Verdict == record.VerdictNotApplicable {
			rows = append(rows, failed("the run", "%s:%s: %s: %s", d.Name, d.Mode, c.ID, c.Observed))
		}
	}
	for _, side := range []struct {
		direction record.Direction
		truth     impair.Parameters
	}{{record.Uplink, plan.Uplink}, {record.Downlink, plan.Downlink}} {
		var list []record.RateLimit
		for i := range d.Cases {
			if c := &d.Cases[i]; strings.HasPrefix(c.ID, string(side.direction)) && c.Rate != nil {
				list = append(list, *c.Rate)
			}
		}
		more := bucketRows(side.truth, list)
		for i := range more {
			more[i].Device, more[i].Trial, more[i].bends = d.Name+":"+d.Mode, string(side.direction), true
		}
		rows = append(rows, more...)
	}
	return rows
}

// bucketRows compares the median rate with a token bucket's. Of the burst the largest counts, and of
// the times to converge the first: a pause of the sender while the bucket empties makes the one
// smaller and the other later, and nothing does the opposite.
func bucketRows(truth impair.Parameters, list []record.RateLimit) []Row {
	if len(list) < policedTimes {
		return []Row{failed("rate", "%d of %d measurements were made", len(list), policedTimes)}
	}
	rates, bursts, times := []float64{}, []float64{}, []float64{}
	for _, r := range list {
		if !r.Void { // else what the machine lost is in it
			rates = append(rates, r.MeasuredBPS)
		}
		if r.BurstOctets >= 0 {
			bursts = append(bursts, r.BurstOctets)
		}
		if r.ConvergeS >= 0 {
			times = append(times, r.ConvergeS*1e9)
		}
	}
	if len(rates) == 0 {
		return []Row{failed("rate", "the machine was disturbed for nearly all of each measurement")}
	}
	slices.Sort(rates)
	bucket, octets := float64(truth.Bucket), float64(policedOctets)
	rows := []Row{within("rate", BitsPerS, truth.MBR, rates[len(rates)/2], policedError*truth.MBR)}
	if len(bursts) == 0 || len(times) == 0 {
		return append(rows, unseen(list))
	}
	begin := bucket * 8 / (policedOffered - truth.MBR) * 1e9 // when the bucket is empty
	return append(rows, within("burst", Octets, bucket, slices.Max(bursts), 0.02*bucket+3*octets),
		within("time to converge", Nanoseconds, begin, slices.Min(times), 0.05*begin+3e6))
}

// unseen is the row of bursts that were not seen: the machine was disturbed each time, or the
// measurement is wrong.
func unseen(list []record.RateLimit) Row {
	for _, r := range list {
		if r.DisturbedS == 0 {
			return failed("burst", "none was seen although the machine was not disturbed")
		}
	}
	return Row{Quantity: "burst: not seen, for the machine was disturbed each time", Told: true, Pass: true}
}

package selftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

// simulated is a result of devices that are queues: packet by packet, 11 us of other
// delay, and a histogram as trials have it.
func simulated(devices, room int, service func(*rand.Rand) float64, kpps ...float64) *record.Result {
	r := &record.Result{}
	for seed := range uint64(devices) {
		d := record.DUT{Name: "calibrator", Mode: fmt.Sprintf("seed=%d", seed)}
		for i, k := range kpps {
			gap := 1e6 / k
			out := queueing.Simulation{Gap: func(r *rand.Rand) float64 { return gap * r.ExpFloat64() }, Service: service, QueuePackets: room,
				Packets: 90_000, WarmUp: 5000, Seed: 100*seed + uint64(i)}.Run()
			ns := func(q float64) uint64 { return uint64(out.QuantileNS(q)) + 11_000 }
			l := &record.Latency{Mean: out.MeanNS() + 11_000, P50: ns(0.5), P95: ns(0.95), P99: ns(0.99), P999: ns(0.999), Count: 90_000}
			for q := range 2000 {
				l.Buckets = append(l.Buckets, record.Bucket{UpTo: ns((float64(q) + 0.5) / 2000), Count: 45})
			}
			d.Trials = append(d.Trials,
				record.Trial{
					Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: k * 1e3},
					Traffic:  record.Traffic{TxPPS: k * 1e3, TxPackets: 90_000, FrameLossRatio: out.LossRatio, Latency: l},
					Arrivals: &record.Arrivals{Process: "poisson"}, Judgement: record.Judgement{Valid: true},
				})
		}
		r.DUTs = append(r.DUTs, d)
	}
	return r
}

func exponential(r *rand.Rand) float64 { return 25_000 * r.ExpFloat64() }
func constant(*rand.Rand) float64      { return 25_000 }

// toLimit are the loads of the experiment, kpps; below is those under the limit.
var (
	toLimit = []float64{4, 12, 20, 24, 28, 32, 36, 38, 40, 44, 52}
	below   = []float64{4, 12, 20, 24, 28, 32, 36}
)

// TestModelsAreFound: queues with exponential and with constant times are taken for what
// they are. Ten seeds of the fits are tested where they are made.
func TestModelsAreFound(t *testing.T) {
	for _, x := range battery(false) {
		if x.models == nil {
			continue
		}
		r := simulated(1, 0, constant, below...)
		if x.models.room > 0 {
			r = simulated(3, modelledRoom, exponential, toLimit...)
		}
		rows := x.models.modelRows(r)
		if !Passed(rows) || len(rows) < 6 {
			t.Errorf("%s: %v", x.name, wrong(rows))
			for _, row := range rows {
				t.Log(row.Device, row.line())
			}
		}
	}
}

// TestModelsOfAnotherQueue: a device that is something else is not passed.
func TestModelsOfAnotherQueue(t *testing.T) {
	q := queue{model: "M/M/1/K", pps: modelledPPS, room: modelledRoom, left: leftOut}
	for why, r := range map[string]*record.Result{
		"constant times": simulated(1, modelledRoom, constant, toLimit...),
		"a larger room":  simulated(1, modelledRoom+8, exponential, toLimit...),
	} {
		if rows := q.modelRows(r); !slices.ContainsFunc(rows, func(r Row) bool { return !r.Pass }) {
			t.Errorf("%s: all rows pass", why)
		}
	}
	nothing := simulated(1, modelledRoom, exponential, toLimit...)
	for i := range nothing.DUTs[0].Trials {
		nothing.DUTs[0].Trials[i].Valid = false
	}
	if Passed(q.modelRows(nothing)) {
		t.Error("no trial is valid, and all rows pass")
	}
}

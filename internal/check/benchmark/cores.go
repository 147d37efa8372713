package benchmark

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/lab/dut/wire"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/engine"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/xdp"
)

// coreRounds are fewer than rounds, since engines are opened in each.
const coreRounds = 7

// Scaling are the CPUs among which the work of a wire is spread.
type Scaling struct {
	Senders scenario.CPUs // several
	DUT     scenario.CPUs // that forward; AnyCPU: one that upflab chooses
}

// settings are those of a scenario with as many receive queues as there are CPUs on either
// side, and sessions for all of them.
func (c Scaling) settings() []string {
	n := max(len(c.Senders.List()), len(c.DUT.List()))
	return []string{"cpu.generator=" + string(c.Senders), "cpu.dut=" + string(c.DUT), fmt.Sprint("queues=", n), fmt.Sprint("sessions=", 32*n)}
}

// Cores sends through wire as fast as possible from one CPU, from two and so on, in blocks, and
// compares what all sent and received with what one did: within one run, since speeds drift.
func (b *Bench) Cores(ctx context.Context, c Scaling) ([]Row, error) {
	s, err := scenario.Open("load-latency", c.settings(), false)
	if err != nil {
		return nil, err
	}
	cpus, err := host.Place(s.CPU)
	if err != nil {
		return nil, err
	}
	rates := make([]windowed, len(cpus.Senders()))
	err = withTestbedOf(s, func(t site.Site) error {
		w, err := wire.Open(t)
		if err != nil {
			return err
		}
		return errors.Join(scale(ctx, s, t, cpus, rates), w.Close())
	}, nil)
	if err != nil {
		return nil, err
	}
	rows := []Row{{What: "CPUs that forward", Value: dutWords(cpus), OK: true}}
	for i := range rates {
		rows = append(rows, scalingRow(i+1, &rates[i], &rates[0]))
	}
	return rows, nil
}

// dutWords say where the wire's forwarding runs.
func dutWords(p record.Placement) string {
	if p.Kind == host.Shared {
		return "those that send: each queue is received on the CPU that sends to it"
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(p.DUT), " ", ","), "[]")
}

// scale sends from one CPU, from two and so on, for rounds of all.
func scale(ctx context.Context, s *scenario.Scenario, t site.Site, cpus record.Placement, rates []windowed) error {
	if cpus.Kind == host.Separate {
		if _, err := host.PinNAPI(&t.Links().UPFN3, cpus.DUT, true); err != nil {
			return err
		}
	}
	for _, block := range stats.Blocks(len(rates), coreRounds, orderSeed, nil) {
		for _, i := range block {
			e, err := xdp.Open(xdp.Config{CPUs: cpus.Senders()[:i+1], Settle: 20 * time.Millisecond, Paths: []xdp.Path{{
				Flow: engine.WireFlow(s, t, record.Uplink), Send: t.Links().GNB, Receive: t.Links().DNN6,
			}}})
			if err != nil {
				return err
			}
			if err := errors.Join(send(ctx, e, nil, &rates[i]), e.Close(), ctx.Err()); err != nil {
				return err
			}
		}
	}
	return nil
}

// scalingRow compares what several CPUs did with what one did, round by round.
func scalingRow(n int, all, one *windowed) Row {
	row := Row{What: fmt.Sprintf("through wire at max from %d CPUs / from 1, median of %d in turn", n, coreRounds), OK: true}
	if n == 1 {
		row.What = fmt.Sprintf("through wire at max from 1 CPU, median of %d", coreRounds)
		row.Value = fmt.Sprintf("sent %.2f Mpps, received %.2f", stats.Median(all.sent)/1e6, stats.Median(all.received)/1e6)
		return row
	}
	row.Value = fmt.Sprintf("sent %.2f (%.2f Mpps), received %.2f (%.2f)", ratioInTurn(all.sent, one.sent), stats.Median(all.sent)/1e6,
		ratioInTurn(all.received, one.received), stats.Median(all.received)/1e6)
	return row
}

// ratioInTurn is the median ratio of figures that were measured in turn, pair by pair.
func ratioInTurn(a, b []float64) float64 {
	var ratios []float64
	for i := range a {
		ratios = append(ratios, a[i]/b[i])
	}
	return stats.Median(ratios)
}

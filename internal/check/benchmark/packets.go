package benchmark

import (
	"context"
	"fmt"

	"github.com/upflab/upflab/internal/record"
)

// packets shows the limits of the engine af_packet: how fast it sends and receives,
// how late its frames leave, and the least latency that it can show.
func (b *Bench) packets(ctx context.Context) ([]Row, error) {
	d, err := b.run(ctx, b.Wire, "engine=af_packet", "loads=100k,300k,max", "duration=3s", "directions=uplink", "latency.duration=2s")
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, t := range d.Trials {
		row := Row{What: "engine af_packet over wire at " + t.Load.String(), OK: true,
			Value: fmt.Sprintf("Tx %.3f Mpps, Rx %.3f Mpps", t.TxPPS/1e6, t.RxPPS/1e6)}
		if t.Kind == record.KindLatency {
			row.What = "engine af_packet over wire, latency trial at " + t.Load.String()
		}
		if t.Latency != nil && t.Lateness != nil {
			row.Value += fmt.Sprintf("; late p50 %.2f us, p99 %.1f us; one-way latency p50 %.1f us, least %.1f us",
				float64(t.Lateness.P50)/1e3, float64(t.Lateness.P99)/1e3, float64(t.Latency.P50)/1e3, float64(t.Latency.Min)/1e3)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

package search_test

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/search"
)

// A device that forwards 295 000 packets/s, and a search that finds it.
func ExampleMLRsearch() {
	device := func(_ context.Context, pps float64, d time.Duration) (search.Outcome, error) {
		sent, forwards := uint64(pps*d.Seconds()), uint64(295_000*d.Seconds())
		return search.Outcome{
			Sent: sent, Lost: sent - min(sent, forwards), Seconds: d.Seconds(), Valid: true, LimitedBy: "dut",
		}, nil
	}
	s, err := search.Preset(search.Quick)
	if err != nil {
		panic(err)
	}
	s.MinPPS, s.MaxPPS = 1000, 3_000_000
	report, err := s.Run(context.Background(), device)
	if err != nil {
		panic(err)
	}
	for _, goal := range report.Goals {
		pps, ok := goal.Rate()
		fmt.Printf("%s: %.1f kpps, %v, limited by %s\n", goal.Goal.Name, pps/1000, ok, goal.LimitedBy)
	}
	// Output:
	// ndr: 294.9 kpps, true, limited by dut
	// pdr: 296.4 kpps, true, limited by dut
}

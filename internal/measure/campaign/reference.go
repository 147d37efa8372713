package campaign

import (
	"context"
	"errors"

	"github.com/upflab/upflab/internal/measure/campaign/rates"
)

// visitReference visits wire once more in a repeat: it is asked whether it carries what
// searches found for the UPFs, and its latency is taken at the same loads, so that their
// latencies can be separated from the bench's.
func visitReference(ctx context.Context, v *visit) (err error) {
	wanted, asked := rates.FoundLatencies(v.Book, v.repeat), rates.FoundRates(v.Book, v.repeat)
	if len(wanted)+len(asked) == 0 {
		return nil
	}
	out := v.out
	dp, err := v.Open(ctx, v.target, out)
	if dp != nil {
		defer func() { err = errors.Join(err, dp.Close()) }()
	}
	if err != nil {
		return err
	}
	if err := rates.AskWire(ctx, v.Meter, dp, asked); err != nil {
		return err
	}
	for _, w := range wanted {
		t, err := v.LatencyAt(ctx, dp, w.Direction, v.Plan.SizeNamed(w.Size), w.Load, v.repeat)
		if err != nil {
			return err
		}
		out.Trials = append(out.Trials, t)
		if err := v.Save(); err != nil {
			return err
		}
	}
	return nil
}

package campaign

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/machine/instructions"
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
)

// visitInstructions brings a DUT up and counts what its packets and requests take.
func visitInstructions(ctx context.Context, v *visit) (err error) {
	if err := instructions.Check(); err != nil {
		return kit.AbortError{Err: err}
	}
	dp, err := trial.OpenToCount(ctx, v.Config(v.target), v.out)
	if dp != nil {
		defer func() {
			err = errors.Join(err, dp.Close())
			dp.SMF.Note(v.out)
		}()
	}
	if err != nil {
		return err
	}
	for _, spec := range v.Plan.PacketCounts(v.repeat) {
		v.Observer.Stage(dp.Label, "counting the instructions of "+string(spec.Direction)+" packets")
		of := wirePackets{spec.Direction, spec.Size.Name}
		bench := v.wireTakes[of]
		if dp.Endpoint.IsWire() {
			bench = 0
		}
		x, err := dp.CountPackets(ctx, spec, bench)
		if err != nil {
			return dp.Explain("counting instructions", err, v.out)
		}
		if dp.Endpoint.IsWire() {
			v.wireTakes[of] = x.Each
		}
		if err := v.counted(x); err != nil {
			return err
		}
	}
	if !dp.Endpoint.HasN4() {
		return nil
	}
	v.Observer.Stage(dp.Label, "counting the instructions of requests")
	list, err := dp.CountRequests(ctx, v.repeat)
	if err != nil {
		return dp.Explain("counting the instructions of requests", err, v.out)
	}
	for _, x := range list {
		if err := v.counted(x); err != nil {
			return err
		}
	}
	return nil
}

// wirePackets are those of which the run knows what wire takes.
type wirePackets struct {
	direction record.Direction
	size      string
}

// counted keeps a figure.
func (v *visit) counted(x record.Instructions) error {
	v.out.Instructions = append(v.out.Instructions, x)
	v.step++
	words := fmt.Sprintf("%.0f instructions", x.Each)
	if x.Program > 0 {
		words += fmt.Sprintf(", of the XDP program alone %.0f", x.Program)
	}
	if !x.Valid {
		words = strings.Join(x.Reasons, "; ")
	}
	v.Observer.Tried(v.first+v.step, v.target.Label(), watch.Step{Name: x.Name(), Outcome: words, Good: x.Valid})
	return v.Save()
}

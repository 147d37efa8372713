package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/appflow"
	"github.com/upflab/upflab/internal/apps"
	"github.com/upflab/upflab/internal/apps/iperf3"
	"github.com/upflab/upflab/internal/apps/ping"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/trial"
	"github.com/upflab/upflab/internal/uegateway"
)

// The benches without a UPF that flows are compared with.
const (
	plainBench   = "n6"    // plain forwarding
	gatewayBench = "decap" // the gateway and a bare decapsulator
)

// isReference reports whether a DUT of that name is no UPF.
func isReference(name string) bool {
	return slices.Contains([]string{"wire", plainBench, gatewayBench}, name)
}

// applicationEngine is what a run of flows has in place of an engine.
var applicationEngine = record.Engine{Name: "applications", Why: "the scenario has flows: iperf3, ping and web pages of UEs, through a gateway in the kernel"}

// flowTools finds the programs that the flows need. What is missing makes the flows that
// need it not valid; the others go on.
func flowTools() (t appflow.Tools) {
	t.Iperf, t.IperfMissing = iperf3.Find()
	t.Ping, t.PingMissing = ping.Find()
	return t
}

// visitFlows brings one target up behind the UE gateway, measures the flows and takes it
// down.
func (r *run) visitFlows(ctx context.Context, i, repeat int) (err error) {
	target, out := r.plan.Targets[i], &r.result.DUTs[i]
	dp, err := trial.OpenUEs(ctx, r.config(target), uegateway.Config{}, out)
	if dp != nil {
		defer func() {
			err = errors.Join(err, dp.Close())
			dp.NoteN4(out)
		}()
	}
	if err != nil {
		return err
	}
	if err := r.watchIdle(ctx, dp, &out.Setup.IdleCores); err != nil {
		return err
	}
	start := r.done
	defer func() { r.done = start + len(r.plan.Scenario.Flows) }()
	for n, f := range r.plan.Scenario.Flows {
		r.observer.Stage(dp.Label, fmt.Sprintf("flow %s %s", f.Kind, f.Direction))
		got, err := r.undisturbed(ctx, dp, f, repeat, out)
		if err != nil {
			return err
		}
		out.Flows = append(out.Flows, got)
		r.observer.Flowed(start+n+1, dp.Label, got)
		if err := r.save(); err != nil {
			return err
		}
		if err := dp.Alive(); err != nil {
			return dp.Explain("measuring", err, out)
		}
	}
	return r.watchIdle(ctx, dp, &out.Setup.IdleAfterCores)
}

// flowAttempts is how often a flow is measured that the host disturbed; the one that it
// disturbed least is kept.
const flowAttempts = 2

func (r *run) undisturbed(ctx context.Context, dp *trial.Deployment, f scenario.Flow, repeat int, out *record.DUT) (best record.AppFlow, err error) {
	for n := range flowAttempts {
		got, err := r.flow(ctx, dp, f, repeat, out)
		if err != nil {
			return got, err
		}
		if n == 0 || got.StealRatio < best.StealRatio {
			best = got
		}
		if got.LimitedBy != record.LimitHost || dp.Alive() != nil {
			break
		}
	}
	return best, nil
}

// flow measures and judges one.
func (r *run) flow(ctx context.Context, dp *trial.Deployment, f scenario.Flow, repeat int, out *record.DUT) (record.AppFlow, error) {
	before, err := dp.Gateway().Counters()
	if err != nil {
		return record.AppFlow{}, err
	}
	got, err := r.ends(dp).Measure(ctx, f, repeat)
	if err != nil {
		return got, err
	}
	after, err := dp.Gateway().Counters()
	if err != nil {
		return got, err
	}
	got.TooBig = after.Dropped[uegateway.TooBig] - before.Dropped[uegateway.TooBig]
	got.Reasons = append(got.Reasons, gatewayDrops(before, after)...)
	appflow.Judge(&got, r.bench(&got), out.Reference)
	return got, nil
}

// gatewayDrops is what the UE gateway dropped during a flow, in words.
func gatewayDrops(before, after uegateway.Counters) (words []string) {
	for reason, n := range after.Dropped {
		if n -= before.Dropped[reason]; n > 0 {
			words = append(words, fmt.Sprintf("the UE gateway dropped %d packets: %s", n, reason))
		}
	}
	slices.Sort(words)
	return words
}

// ends are the UEs and the data network of a deployment. The UEs' programs run where the
// generator would, those of the data network where the sink would.
func (r *run) ends(dp *trial.Deployment) *appflow.Ends {
	dn := dp.Site().Links().DNN6
	e := &appflow.Ends{
		UE:     apps.Place{Namespace: dp.Gateway().Namespace(), Claim: r.claim, CPUs: r.placement.Senders()},
		DN:     apps.Place{Namespace: dn.NS, Claim: r.claim, CPUs: []int{r.placement.Sink}},
		Server: dn.Addr, MTU: dp.Gateway().MTU(), Usage: dp.Usage, Tools: r.tools,
	}
	for _, ue := range dp.Gateway().UEs() {
		e.UEs = append(e.UEs, ue.Address)
	}
	return e
}

// bench is what the same flow came to without a UPF, in the same repeat.
func (r *run) bench(of *record.AppFlow) (b appflow.Bench) {
	for i := range r.result.DUTs {
		d := &r.result.DUTs[i]
		for j := range d.Flows {
			f := &d.Flows[j]
			if !f.Valid || f.Repeat != of.Repeat || f.Key() != of.Key() {
				continue
			}
			switch d.Name {
			case plainBench:
				b.Plain = f
			case gatewayBench:
				b.Gateway = f
			}
		}
	}
	return b
}

package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/lab/apps"
	"github.com/upflab/upflab/internal/lab/apps/iperf3"
	"github.com/upflab/upflab/internal/lab/apps/ping"
	"github.com/upflab/upflab/internal/lab/bench"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/measure/appflow"
	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// findTools finds the programs that the flows need. What is missing makes the flows that
// need it not valid; the others go on.
func findTools(_ context.Context, r *run) error {
	t := &r.tools
	t.Iperf, t.IperfMissing = iperf3.Find()
	t.Ping, t.PingMissing = ping.Find()
	return nil
}

// visitFlows measures one target behind the UE gateway, over each kind of link. Where
// there are several, one that the target cannot use does not end the visit.
func visitFlows(ctx context.Context, of *visit) error {
	for n, s := range of.Plan.Scenario.LinksOf() {
		v := &flowVisit{visit: of, scenario: s, before: of.first + n*len(s.Flows)}
		if len(of.Plan.Scenario.Links) > 1 {
			v.link = string(s.Link)
		}
		err := v.measure(ctx)
		if err != nil && (v.link == "" || ctx.Err() != nil) {
			return err
		}
		if err != nil {
			v.missed(err)
		}
	}
	return nil
}

// flowVisit is a visit to a target over one kind of link.
type flowVisit struct {
	*visit
	scenario *scenario.Scenario
	link     string // "": there is one kind
	before   int    // number of the flow before its first
}

// measure brings the target up, measures the flows and takes it down.
func (v *flowVisit) measure(ctx context.Context) (err error) {
	c := v.Config(v.target)
	c.Scenario = v.scenario
	dp, err := bench.OpenUEs(ctx, c.Config, uegateway.Config{}, v.out)
	if dp != nil {
		defer func() {
			err = errors.Join(err, dp.Close())
			dp.SMF.Note(v.out)
		}()
	}
	if err != nil {
		return err
	}
	for _, note := range []string{dp.Gateway().Offloads(), classes(v.scenario)} {
		if note != "" {
			v.Result.Notes = record.AppendNew(v.Result.Notes, note)
		}
	}
	if err := v.WatchIdle(ctx, dp.Bench, &v.out.Setup.IdleCores); err != nil {
		return err
	}
	v.noteNAT(ctx, v.ends(dp, v.scenario.FamilyOf(v.scenario.Flows[0])))
	canMove, err := v.prepareHandover(dp)
	if err != nil {
		return err
	}
	for n, f := range v.scenario.Flows {
		if f.Handover && !canMove {
			continue
		}
		v.Observer.Stage(dp.Label, fmt.Sprintf("flow %s %s", f.Kind, f.Direction))
		got, err := v.undisturbed(ctx, dp, f)
		if err != nil {
			return err
		}
		if err := v.keep(n, got); err != nil {
			return err
		}
		if err := errors.Join(dp.Alive(), dp.Gone()); err != nil {
			return dp.Explain("measuring", err, v.out)
		}
	}
	return v.WatchIdle(ctx, dp.Bench, &v.out.Setup.IdleAfterCores)
}

// noteNAT remarks that the data network does not see the UEs' own addresses.
func (v *flowVisit) noteNAT(ctx context.Context, e *appflow.Ends) {
	if words := e.NAT(ctx); words != "" {
		v.out.Remarks = record.AppendNew(v.out.Remarks, words)
	}
}

// classes says in what the UEs differ; "": in nothing.
func classes(s *scenario.Scenario) string {
	n := max(len(s.QFIs), len(s.NetworkInstances))
	if n < 2 {
		return ""
	}
	var words []string
	for i := range min(n, s.Sessions) {
		words = append(words, fmt.Sprintf("UE %d has QFI %d and is in %s", i+1, s.QFIOf(i), s.InstanceOf(i)))
	}
	return strings.Join(words, ", ") + ", and so on in turn: a flow's UEs are the first ones, its neighbour is the next"
}

// prepareHandover readies a second gNB where a flow needs one. What is no UPF has none:
// such flows are left out of it.
func (v *flowVisit) prepareHandover(dp *bench.UEs) (can bool, err error) {
	if !slices.ContainsFunc(v.scenario.Flows, func(f scenario.Flow) bool { return f.Handover }) || v.out.Reference {
		return false, nil
	}
	return true, dp.PrepareHandover()
}

// keep writes a flow down, the n-th of the visit.
func (v *flowVisit) keep(n int, f record.AppFlow) error {
	v.out.Flows = append(v.out.Flows, f)
	v.Observer.Flowed(v.before+n+1, v.target.Label(), f)
	return v.Save()
}

// missed writes down that nothing could be measured over a kind of link.
func (v *flowVisit) missed(why error) {
	v.Observer.Failed(v.target.Label(), why)
	v.out.Remarks = record.AppendNew(v.out.Remarks, fmt.Sprintf("Over %s: %v", v.link, why))
}

// undisturbed measures a flow, and repeats it when the host disturbed it. The one that it
// disturbed least is kept.
func (v *flowVisit) undisturbed(ctx context.Context, dp *bench.UEs, f scenario.Flow) (best record.AppFlow, err error) {
	for n := range v.scenario.Attempts {
		got, err := v.flow(ctx, dp, f)
		if err != nil {
			return got, err
		}
		if n == 0 || calmer(&got, &best) {
			best = got
		}
		if got.LimitedBy != record.LimitHost || dp.Alive() != nil {
			break
		}
	}
	return best, nil
}

// calmer reports whether the host disturbed a flow less than another.
func calmer(f, than *record.AppFlow) bool {
	if quiet := f.LimitedBy != record.LimitHost; quiet != (than.LimitedBy != record.LimitHost) {
		return quiet
	}
	return f.StealRatio+f.CPU.Others < than.StealRatio+than.CPU.Others
}

// flow measures and judges one.
func (v *flowVisit) flow(ctx context.Context, dp *bench.UEs, f scenario.Flow) (record.AppFlow, error) {
	from, err := readPath(dp)
	if err != nil {
		return record.AppFlow{}, err
	}
	got, err := v.ends(dp, v.scenario.FamilyOf(f)).Measure(ctx, f, v.repeat)
	got.Link = v.link
	if err != nil {
		return got, err
	}
	to, err := readPath(dp)
	if err != nil {
		return got, errors.Join(dp.Gone(), err)
	}
	before, after := from.gateway, to.gateway
	got.TooBig = after.Dropped[uegateway.TooBig] - before.Dropped[uegateway.TooBig]
	got.Reasons = append(got.Reasons, gatewayDrops(before, after)...)
	if h := got.Handover; h != nil {
		h.ToOld = after.Dropped[uegateway.UnknownTEID] - before.Dropped[uegateway.UnknownTEID]
		h.EndMarkers = after.EndMarkers - before.EndMarkers
	}
	explainPath(&got, from, to)
	got.Merged = dp.MergesAtN6()
	appflow.Judge(&got, ceilings(v.Book, &got), v.out.Reference)
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

// ends are the UEs and the data network of a deployment, by their addresses of a family. The UEs'
// programs run where the generator would, those of the data network where the sink would.
func (r *run) ends(dp *bench.UEs, ip scenario.Family) *appflow.Ends {
	dn := dp.Site().Links().DNN6
	e := &appflow.Ends{
		UE:     apps.Place{Namespace: dp.Gateway().Namespace(), Claim: r.Claim, CPUs: r.Placement.Senders()},
		DN:     apps.Place{Namespace: dn.NS, Claim: r.Claim, CPUs: []int{r.Placement.Sink}},
		Server: dn.Addr, MTU: dp.Gateway().MTU(), Usage: dp.Usage, PIDs: dp.Programs(), Tools: r.tools, Handover: dp.Handover,
	}
	if ip == scenario.FamilyIPv6 {
		e.Server = dp.Scenario.N6.DN6
	}
	for _, ue := range dp.Gateway().UEs() {
		address := ue.Address
		if ip == scenario.FamilyIPv6 {
			address = ue.Address6
		}
		e.UEs = append(e.UEs, address)
	}
	return e
}

// ceilings are what the same flow came to without a UPF at the latest visit. One that lost what
// did not fit is no ceiling.
func ceilings(r *kit.Book, of *record.AppFlow) (b appflow.Bench) {
	for i := range r.Result.DUTs {
		d := &r.Result.DUTs[i]
		for j := range d.Flows {
			f := &d.Flows[j]
			if !f.Valid || f.LimitedBy == record.LimitMTU || f.Key() != of.Key() {
				continue
			}
			switch d.Name {
			case plan.PlainBench:
				b.Plain = f
			case plan.GatewayBench:
				b.Gateway = f
			}
		}
	}
	return b
}

package measure

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/capture"
	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/smf"
	"github.com/upflab/upflab/internal/telemetry"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// bench is one DUT that is up, with its sessions and everything around it.
type bench struct {
	label      string
	scenario   *scenario.Scenario
	placement  record.Placement
	site       site.Site
	instance   dut.Instance
	endpoint   dut.Endpoint
	started    time.Time // the instance
	n4         *smf.Client
	associated bool
	sessions   []smf.Established
	engine     traffic.Engine // of both directions
	engineName string
	flows      []*traffic.Flow   // the engine's, by flowOf
	recording  *replay.Recording // nil: no capture is replayed
	subject    telemetry.Subject
	stats      io.Closer // BPF run-time statistics are on until it is closed
	drops      site.Drops
	packets    *capture.Capture // nil: none is asked for
}

// open brings a target up. On error what was opened is in the bench, too, so
// that its log can be read; close it.
func (r *run) open(ctx context.Context, target dut.Target, dir string, out *record.DUT) (*bench, error) {
	b := &bench{label: target.Label(), engineName: r.result.Engine.Name, scenario: r.plan.Scenario, placement: r.placement, recording: r.plan.recording}
	b.packets = r.capturing(out)
	stage := func(what string) { r.observer.Stage(target.Label(), what) }
	steps := []struct {
		what string
		do   func() error
	}{
		{"building the testbed", func() error { return b.build(r.claim, target, &out.Setup) }},
		{"starting", func() error { return b.start(ctx, target, dir) }},
		{"setting up N4", func() error { return b.setUpN4(ctx, &out.Setup) }},
		{fmt.Sprintf("establishing %d sessions", b.scenario.Sessions), func() error { return b.provision(ctx, &out.Setup) }},
		{"opening traffic", b.openTraffic},
		{"probing", func() error { return r.probeAndCapture(ctx, b, dir, out) }},
	}
	for _, s := range steps {
		stage(s.what)
		if err := s.do(); err != nil {
			return b, b.explain(target, s.what, err, out)
		}
	}
	for _, remark := range b.endpoint.Remarks {
		out.Remarks = appendNew(out.Remarks, remark)
	}
	if remark := b.placementRemark(); remark != "" {
		out.Remarks = appendNew(out.Remarks, remark)
	}
	for _, f := range b.instance.Files() {
		if rel, err := filepath.Rel(r.plan.Dir, f); err == nil {
			f = rel
		}
		out.Files = appendNew(out.Files, f)
	}
	return b, nil
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// explain adds to an error what the DUT itself said.
func (b *bench) explain(target dut.Target, doing string, err error, out *record.DUT) error {
	if b.instance == nil {
		return fmt.Errorf("%s: %s: %w", target.Label(), doing, err)
	}
	out.LogTail = b.instance.LogTail()
	if died := b.alive(); died != nil {
		err = died // whatever else went wrong came of it
	}
	return fmt.Errorf("%s: %s: %w", target.Label(), doing, err)
}

// alive tells whether the DUT still runs.
func (b *bench) alive() error {
	select {
	case <-b.instance.Exited():
		return fmt.Errorf("the UPF has ended (%s); it last said: %q", b.instance.Status(), lastLine(b.instance.LogTail()))
	default:
		return nil
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// close takes everything down, in the reverse order.
func (b *bench) close() error {
	var errs []error
	if b.drops != nil {
		errs = append(errs, b.drops.Close())
	}
	if b.stats != nil {
		errs = append(errs, b.stats.Close())
	}
	if b.packets != nil {
		errs = append(errs, b.packets.Close())
	}
	if b.n4 != nil {
		b.release()
		errs = append(errs, b.n4.Close())
	}
	if b.engine != nil {
		errs = append(errs, b.engine.Close())
	}
	if b.instance != nil {
		errs = append(errs, b.instance.Stop())
	}
	if b.site != nil {
		errs = append(errs, b.site.Close())
	}
	return errors.Join(errs...)
}

// release ends the association, for a UPF that will go on without us. One that
// we stop anyway need not be asked.
func (b *bench) release() {
	if b.site.OwnsUPF() || !b.associated {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	b.n4.Delete(ctx, b.sessions)
	b.n4.Release(ctx)
}

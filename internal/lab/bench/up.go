package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Up is a DUT that is up with its sessions.
type Up struct {
	*Bench
	SMF *SMF
	// BeforeN4 is called once the DUT has started, before anything is sent by N4; nil: nobody waits for that.
	BeforeN4 func() error
}

// Stage is a part of bringing a DUT up, as observers see it.
type Stage struct {
	What string
	Do   func() error
}

// NewUp is a DUT that is not up yet.
func NewUp(c Config) *Up {
	b := New(c)
	return &Up{Bench: b, SMF: &SMF{bench: b}}
}

// Open brings the DUT up with its sessions, does more, and writes into out how that went. On error what was opened is there,
// too, so that the DUT's log can be read; close it.
func (u *Up) Open(ctx context.Context, out *record.DUT, more ...Stage) error {
	stages := append([]Stage{
		{"building the testbed", func() error { return u.build(&out.Setup) }},
		{"starting", func() error { return u.Start(ctx) }},
		{"setting up N4", func() error { return u.setUpN4(ctx, &out.Setup) }},
		{fmt.Sprintf("establishing %d sessions", u.Scenario.Sessions), func() error { return u.SMF.provision(ctx, &out.Setup) }},
	}, more...)
	for _, s := range stages {
		u.Stage(u.Label, s.What)
		if err := s.Do(); err != nil {
			return u.Explain(s.What, err, out)
		}
	}
	u.note(out)
	return nil
}

func (u *Up) build(setup *record.Setup) error {
	start := time.Now()
	err := u.OpenSite()
	setup.TestbedSeconds = time.Since(start).Seconds()
	return err
}

func (u *Up) setUpN4(ctx context.Context, setup *record.Setup) error {
	if u.BeforeN4 != nil {
		if err := u.BeforeN4(); err != nil {
			return err
		}
	}
	return u.SMF.associate(ctx, setup)
}

// note adds what a reader should know of the DUT, and its files.
func (u *Up) note(out *record.DUT) {
	out.Setup.NICs, out.Setup.Links = u.site.Links().NICs, linkEnds(u.site.Links())
	for _, remark := range append(slices.Clone(u.Endpoint.Remarks), u.placementRemark(), u.SMF.instanceRemark(), u.gnbRemark()) {
		if remark != "" {
			out.Remarks = record.AppendNew(out.Remarks, remark)
		}
	}
	for _, f := range u.Files() {
		out.Files = record.AppendNew(out.Files, u.Relative(f))
	}
}

// gnbRemark says that a DUT sees one gNB where the scenario asks for several; "": it does not.
func (u *Up) gnbRemark() string {
	if u.Scenario.GNBCount < 2 || u.Endpoint.IsWire() || u.Endpoint.HasN4() {
		return ""
	}
	return "It has no sessions, and knows one gNB: all its packets are of n3.gnb."
}

// Relative is the name of a file in the result.
func (u *Up) Relative(file string) string {
	if rel, err := filepath.Rel(u.Root, file); err == nil {
		return rel
	}
	return file
}

// Explain adds to an error what the DUT itself said.
func (u *Up) Explain(doing string, err error, out *record.DUT) error {
	if u.instance != nil {
		out.LogTail = u.instance.LogTail()
		if died := u.Alive(); died != nil {
			err = died // whatever else went wrong came of it
		}
	}
	return fmt.Errorf("%s: %s: %w", u.Label, doing, err)
}

// Close ends the association, stops the DUT and removes the site.
func (u *Up) Close() error { return errors.Join(u.SMF.Close(), u.Bench.Close()) }

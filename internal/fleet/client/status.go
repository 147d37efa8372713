package client

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/fleet"
)

// Status is how things are at a hub.
type Status struct {
	Testbeds  []TestbedStatus
	Campaigns []CampaignStatus
}

// TestbedStatus is one testbed, and who serves it.
type TestbedStatus struct {
	fleet.Testbed
	Alive *fleet.Alive // nil: nobody was heard of for fleet.AliveFor
}

// CampaignStatus counts jobs.
type CampaignStatus struct {
	Name                        string
	Jobs, Done, Failed, Running int
	// Failures say which jobs failed, and why; Stuck which no testbed can do.
	Failures, Stuck []string
}

// Queued is how many wait.
func (s CampaignStatus) Queued() int { return s.Jobs - s.Done - s.Failed - s.Running }

// Look asks a hub; campaign is the name of the only one to look at, "": all.
func Look(ctx context.Context, c *fleet.Conn, campaign string) (s Status, err error) {
	testbeds, err := fleet.All(ctx, c.Testbeds, ">", fleet.JSON[fleet.Testbed])
	if err != nil {
		return s, fmt.Errorf("look at the testbeds: %w", err)
	}
	slices.SortFunc(testbeds, func(a, b fleet.Testbed) int { return cmp.Compare(a.Name, b.Name) })
	alive, err := whoIsAlive(ctx, c)
	if err != nil {
		return s, err
	}
	running := map[string]bool{}
	for _, t := range testbeds {
		st := TestbedStatus{Testbed: t, Alive: alive[t.Name]}
		if st.Alive != nil {
			running[st.Alive.Job] = true
		}
		s.Testbeds = append(s.Testbeds, st)
	}
	names := []string{campaign}
	if campaign == "" {
		if names, err = Campaigns(ctx, c); err != nil {
			return s, err
		}
	}
	runs, err := c.AllRuns(ctx)
	if err != nil {
		return s, fmt.Errorf("look at what was measured: %w", err)
	}
	for _, name := range names {
		p, err := LoadPlan(ctx, c, name)
		if err != nil {
			return s, err
		}
		s.Campaigns = append(s.Campaigns, count(p, runs, running, testbeds))
	}
	return s, nil
}

// whoIsAlive gives what agents said last, by testbed.
func whoIsAlive(ctx context.Context, c *fleet.Conn) (map[string]*fleet.Alive, error) {
	alive := map[string]*fleet.Alive{}
	_, err := fleet.All(ctx, c.Alive, ">", func(testbed string, data []byte) (a fleet.Alive, err error) {
		if a, err = fleet.JSON[fleet.Alive]("", data); err == nil {
			alive[testbed] = &a
		}
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("look who is alive: %w", err)
	}
	return alive, nil
}

func count(p *fleet.Plan, runs []fleet.Run, running map[string]bool, testbeds []fleet.Testbed) CampaignStatus {
	s := CampaignStatus{Name: p.Campaign, Jobs: len(p.Jobs)}
	final := map[string]fleet.Run{}
	for _, r := range runs {
		if _, known := final[r.Job]; r.Final() && !known {
			final[r.Job] = r
		}
	}
	for _, j := range p.Jobs {
		r, known := final[j.ID]
		switch {
		case known && r.State == fleet.Failed:
			s.Failed++
			s.Failures = append(s.Failures, fmt.Sprintf("%s on %s: %s", j.Name, r.Testbed, fleet.Printable(r.Error)))
		case known:
			s.Done++
		case running[j.ID]:
			s.Running++
		}
	}
	s.Stuck = Stuck(p, final, testbeds)
	return s
}

// Stuck says which jobs without an outcome no testbed can do, a line for each class.
func Stuck(p *fleet.Plan, settled map[string]fleet.Run, testbeds []fleet.Testbed) (lines []string) {
	waiting := map[string]int{}
	classes := p.Classes()
	for _, j := range p.Jobs {
		if _, known := settled[j.ID]; !known {
			waiting[j.Class.ID()]++
		}
	}
	for id, n := range waiting {
		if why := nobody(classes[id], testbeds); why != "" {
			lines = append(lines, fmt.Sprintf("%d jobs wait for a testbed with %s: %s", n, strings.Join(classes[id].DUTs, ", "), why))
		}
	}
	slices.Sort(lines)
	return lines
}

// nobody says why no testbed can do jobs of a class; "": one can.
func nobody(c fleet.Class, testbeds []fleet.Testbed) string {
	var why []string
	for _, t := range testbeds {
		missing := c.Missing(t)
		if missing == "" {
			return ""
		}
		why = append(why, t.Name+": "+fleet.Printable(missing))
	}
	if len(why) == 0 {
		return "no agent has connected yet"
	}
	return strings.Join(why, "; ")
}

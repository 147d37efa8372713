package matrix

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/plainyaml"
	"github.com/upflab/upflab/internal/text/safefile"
)

// maxJobs is how many jobs a campaign may have: more is a mistake in the matrix.
const maxJobs = 100_000

// orderSeed gives the order of a campaign's jobs, which is the same each time it is planned.
const orderSeed = 1

// Plan makes the jobs of a campaign: repeat by repeat all combinations, in random order and
// then in the reverse of that, so that a host that drifts favours none of them. version is
// upflab's own. Each scenario is checked here, before anything is submitted.
func (f *File) Plan(version string) (*fleet.Plan, error) {
	axes, err := f.axes()
	if err != nil {
		return nil, err
	}
	n := f.Repeats
	for _, a := range axes {
		if n *= len(a.values); n > maxJobs {
			return nil, fmt.Errorf("matrix: more than %d jobs: split the campaign", maxJobs)
		}
	}
	plan := &fleet.Plan{Campaign: f.Campaign, Version: version}
	seen := map[string]string{}
	var base []fleet.Job
	for _, p := range product(axes) {
		j, err := f.job(axes, p, version)
		if err != nil {
			return nil, err
		}
		base = append(base, j)
	}
	for n, block := range stats.Blocks(len(base), f.Repeats, orderSeed, nil) {
		for _, i := range block {
			j, repeat := base[i], n+1
			j.Repeat = repeat
			if f.Repeats > 1 {
				j.Name = fmt.Sprintf("%s #%d", j.Name, repeat)
			}
			j.ID = idOf(j)
			if other, twice := seen[j.ID]; twice {
				return nil, fmt.Errorf("matrix: %s and %s are the same", other, j.Name)
			}
			seen[j.ID] = j.Name
			plan.Jobs = append(plan.Jobs, j)
		}
	}
	return plan, nil
}

// job is what a combination asks for.
func (f *File) job(axes []axis, p point, version string) (j fleet.Job, err error) {
	sets := append([]string{}, f.Set...)
	var words []string
	for i, a := range axes {
		if a.key == dutAxis {
			j.DUTs = p[i].duts
			words = append(words, p[i].text)
			continue
		}
		sets = append(sets, a.key+"="+p[i].text)
		words = append(words, a.key+"="+p[i].text)
	}
	j.Name, j.Campaign, j.Attempts, j.Packets = strings.Join(words, " "), f.Campaign, f.Attempts, f.Pcap
	j.Limit, _ = time.ParseDuration(f.Limit) // checked
	s, err := f.scenario(sets)
	if err != nil {
		return j, fmt.Errorf("%s: %w", j.Name, err)
	}
	if j.Scenario, err = scenario.Effective(s); err != nil {
		return j, err
	}
	j.Class = fleet.Class{Version: version, Testbeds: f.Testbeds, Uses: fleet.UsesOf(s, j.DUTs)}
	if f.AnyVersion {
		j.Class.Version = ""
	}
	for _, d := range j.DUTs {
		name, _ := fleet.SplitVersion(d)
		if _, err := drivers.Find(name, version); err != nil {
			return j, fmt.Errorf("matrix: %w", err)
		}
		j.Class.DUTs = append(j.Class.DUTs, fleet.Need(d))
	}
	return j, nil
}

// scenario reads the scenario with settings.
func (f *File) scenario(sets []string) (s *scenario.Scenario, err error) {
	if scenario.IsPath(f.Scenario) {
		path := f.Scenario
		if !filepath.IsAbs(path) {
			path = filepath.Join(f.dir, path)
		}
		data, err := safefile.Read(path, plainyaml.Small)
		if err != nil {
			return nil, fmt.Errorf("read the scenario: %w", err)
		}
		s, err = scenario.OpenText(data, path, sets, false)
		if err != nil {
			return nil, err
		}
		return s, portable(s)
	}
	if s, err = scenario.Open(f.Scenario, sets, false); err != nil {
		return nil, err
	}
	return s, portable(s)
}

// portable refuses what cannot go to another host.
func portable(s *scenario.Scenario) error {
	if s.PCAP != "" {
		return fmt.Errorf("pcap: a recording is not sent to agents: run this scenario by `upflab run` on the host")
	}
	if len(s.Dialects) > 0 {
		return fmt.Errorf("dialects: a dialect's file is not sent to agents: run this scenario by `upflab run` on the host")
	}
	return (&plan.Plan{Scenario: s}).Check()
}

// idOf names a job after all that it measures, so that a campaign which is submitted
// again, or with more in it, finds what it has.
func idOf(j fleet.Job) string {
	key := []any{j.Campaign, j.Scenario, j.DUTs, j.Repeat, j.Packets}
	b, _ := json.Marshal(key) // texts and numbers
	sum := sha256.Sum256(b)
	return "j" + hex.EncodeToString(sum[:8])
}

package coverage

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/bisect"
)

// commits are in the repository that searches search.
const commits = 16

// searched is the folder of the repository, once it is made.
var searched = new(string)

// repository has a line of commits without any content, made once.
var repository = sync.OnceValue(func() *bisect.Repository {
	dir, err := os.MkdirTemp("", "coverage-")
	if err != nil {
		panic(err)
	}
	*searched = dir
	var b strings.Builder
	for i := range commits {
		name := fmt.Sprint(i)
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter A <a@example.org> %d +0000\ndata %d\n%s\n", 1700000000+i, len(name), name)
		fmt.Fprintf(&b, "M 100644 inline n\ndata %d\n%s\nreset refs/tags/c%d\nfrom refs/heads/main\n\n", len(name), name, i)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"fast-import", "--quiet"}} {
		c := exec.Command("git", args...)
		c.Dir, c.Stdin = dir, strings.NewReader(b.String())
		if out, err := c.CombinedOutput(); err != nil {
			panic(fmt.Sprint(err, string(out)))
		}
	}
	r, err := bisect.OpenRepository(context.Background(), dir)
	if err != nil {
		panic(err)
	}
	return r
})

// builds is what commits are: from one on they are slower, and each build is off for its layout.
type builds struct {
	rng         *rand.Rand
	from        int
	slower, off float64
	fixed       bool // the build leaves the same layout, whatever is asked
	m           machine
	known       map[string]float64
	trees       map[string]string // what was built last in each work tree
}

func (b *builds) Build(_ context.Context, tree string, c bisect.Commit, layout int) (bisect.Program, error) {
	if b.fixed {
		layout = 0
	}
	key := fmt.Sprintf("%s in layout %d", c.Subject, layout)
	if _, is := b.known[key]; !is {
		b.known[key] = b.off * b.rng.NormFloat64()
	}
	b.trees[tree] = key
	return bisect.Program{Commit: c, Value: tree, Layout: fmt.Sprint(layout)}, nil
}

func (b *builds) device(p bisect.Program) device {
	d, n := plain, 0
	fmt.Sscan(p.Commit.Subject, &n)
	built := b.trees[p.Value]
	if !strings.HasPrefix(built, p.Commit.Subject+" in") || !strings.HasSuffix(built, " "+p.Layout) {
		panic(fmt.Sprintf("%s in layout %s is measured where %s was built", p.Commit.Subject, p.Layout, built))
	}
	speed := b.known[built]
	if n >= b.from {
		speed += math.Log(1 - b.slower)
	}
	d.pps, d.cpuNS = d.pps*math.Exp(speed), d.cpuNS*math.Exp(-speed)
	return d
}

func (b *builds) Measure(_ context.Context, good, other bisect.Program, repeats int, of *bisect.Reading) ([]bisect.Reading, error) {
	r := &record.Result{Run: "r", Started: epoch, Order: &record.Order{}, DUTs: []record.DUT{
		{Name: "upf@good", Mode: "xdp", Status: record.StatusOK}, {Name: "upf@other", Mode: "xdp", Status: record.StatusOK}}}
	s := b.m.begin(b.rng, [2]float64{})
	devices := []device{b.device(good), b.device(other)}
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, i := range [][]int{{0, 1}, {1, 0}}[repeat%2] {
			r.Order.Visit(repeat, r.DUTs[i].Label())
			for _, direction := range []record.Direction{record.Uplink, record.Downlink} {
				r.DUTs[i].Trials = append(r.DUTs[i].Trials, trial(s.noise(), devices[i], direction, 0, repeat))
			}
		}
	}
	metrics := []compare.Metric{compare.RxPPS, compare.CPU}
	if of != nil {
		metrics = []compare.Metric{of.Metric}
	}
	in := compare.Input{Name: "r", Result: r}
	c, err := compare.Compare(in, in, compare.Options{DUT: "upf@good:xdp", Against: "upf@other:xdp", Metrics: metrics})
	if err != nil {
		return nil, err
	}
	return bisect.Readings(c), nil
}

func bisections() (list []row) {
	ctx := context.Background()
	for _, c := range []struct {
		under string
		b     builds
	}{
		{"no slow-down, layouts off by 2 %", builds{off: 0.02, m: machine{trial: 0.01}}},
		{"no slow-down, layouts off by 2 %, which are fixed", builds{off: 0.02, fixed: true, m: machine{trial: 0.01}}},
		{"one slower by 5 %, layouts off by 2 %", builds{slower: 0.05, off: 0.02, m: machine{trial: 0.01}}},
		{"one slower by 10 %, layouts off by 2 %", builds{slower: 0.1, off: 0.02, m: machine{trial: 0.01}}},
		{"one slower by 10 %, layouts off by 2 %, which are fixed", builds{slower: 0.1, off: 0.02, fixed: true, m: machine{trial: 0.01}}},
	} {
		list = append(list, row{
			about: "bisect", statement: "a wrong commit is named", under: c.under, promise: rarely, times: 200,
			try: func(rng *rand.Rand) answer {
				b := c.b
				b.rng, b.known, b.from = rng, map[string]float64{}, 1+rng.IntN(commits-1)
				b.trees = map[string]string{}
				s := bisect.Search{Repo: repository(), Builder: &b, Measure: &b, Repeats: 5, MaxRepeats: 20, Layouts: 4, Progress: func(string) {},
					Save: func(*bisect.Result) error { return nil }}
				r := bisect.Result{}
				var err error
				if r.Good, err = s.Repo.Commit(ctx, "c0"); err == nil {
					r.Bad, err = s.Repo.Commit(ctx, "main")
				}
				if err == nil {
					err = s.Run(ctx, &r)
				}
				switch {
				case err != nil:
					panic(err)
				case r.Outcome != bisect.Found:
					return silent
				}
				return held(b.slower > 0 && r.First.Subject == fmt.Sprint(b.from))
			},
		})
	}
	return list
}

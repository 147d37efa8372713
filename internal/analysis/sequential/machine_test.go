package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// machine is how fast UPFs are on a machine that nobody would assume: from visit to visit it wanders (an autoregression
// of 0.7), it drifts by 0.3 % each, what a visit has of its own has wide tails (Student's t with 3 degrees of freedom), and
// some are up to 30 % slower.
type machine struct {
	rng           *rand.Rand
	scatter       float64 // of a visit, as a ratio
	bad           float64 // the share of visits that are far slower
	wander, drift float64
}

func (m *machine) visit() (level float64) {
	m.wander = 0.7*m.wander + 0.7*m.scatter*m.rng.NormFloat64()
	m.drift -= 0.003
	tails := 0.0
	for range 3 {
		v := m.rng.NormFloat64()
		tails += v * v
	}
	level = m.wander + m.drift + m.scatter*m.rng.NormFloat64()/math.Sqrt(tails)
	if m.rng.Float64() < m.bad {
		level -= 0.3 * m.rng.Float64()
	}
	return level
}

// trials are those of a visit to a UPF that is so many times as fast as another one.
func (m *machine) trials(repeat int, speed float64) []record.Trial {
	rate := 1e6 * speed * math.Exp(m.visit())
	return []record.Trial{{Kind: record.KindLoad, Direction: record.Uplink, Repeat: repeat, DurationS: 1,
		Traffic:   record.Traffic{TxPackets: 2e6, RxPackets: uint64(rate), TxPPS: 2e6, RxPPS: rate},
		Judgement: record.Judgement{Valid: true, LimitedBy: record.LimitDUT}}}
}

// untilDecided makes repeats of two UPFs, the second of them so many times as fast, until it is decided or most are
// made.
func untilDecided(m *machine, seed uint64, speed float64, most int) *record.Until {
	r := &record.Result{Scenario: "simulated", Order: &record.Order{}, DUTs: []record.DUT{{Name: "one", Status: record.StatusOK}, {Name: "other", Status: record.StatusOK}},
		Until: &record.Until{Decided: 0.03, Figures: []string{"rx_pps"}}}
	for n, block := range stats.Blocks(2, most, seed, nil) {
		for _, i := range block {
			r.Order.Visit(n+1, r.DUTs[i].Label())
			r.DUTs[i].Trials = append(r.DUTs[i].Trials, m.trials(n+1, []float64{1, speed}[i])...)
		}
		r.Until.Repeats = n + 1
		if r.Until.Repeats%2 == 0 {
			if r.Until.Ended = Look(r); r.Until.Ended != "" {
				break
			}
		}
	}
	return r.Until
}

// TestDecisionsHold: with looks after each block of up to 40 repeats, at most 5 % of runs say that a UPF is worse by more
// than the threshold which is slower by just that, and at most 5 % that it is not.
func TestDecisionsHold(t *testing.T) {
	runs := 400
	if testing.Short() {
		runs = 60
	}
	for _, scatter := range []float64{0.005, 0.02} {
		rng := rand.New(rand.NewPCG(11, 1))
		said := map[string]int{}
		for n := range runs {
			u := untilDecided(&machine{rng: rng, scatter: scatter, bad: 1. / 12}, uint64(n), 0.97, 40)
			if u.Ended == record.EndedKnown {
				said[u.Verdict.Decision]++
			}
		}
		t.Logf("scatter %.1f %%: %v of %d", 100*scatter, said, runs)
		for decision, times := range said {
			if share := float64(times) / float64(runs); share > 0.05 && times > 5 {
				t.Errorf("scatter %.1f %%: %.1f %% say that it is %s", 100*scatter, 100*share, decision)
			}
		}
	}
}

// TestDifferencesAreFound: a UPF that is 10 % slower, and one that is as fast, are told from one that is 3 % slower.
func TestDifferencesAreFound(t *testing.T) {
	const runs = 60
	for _, c := range []struct {
		speed, scatter, bad float64
		want                string
		least, median       int // of the runs that find it, and of their repeats
	}{{0.90, 0.01, 1. / 12, "worse", 57, 16}, {0.95, 0.005, 0, "worse", 58, 16}, {0.95, 0.01, 0.02, "worse", 48, 20}, {1, 0.005, 0, "not worse", 58, 16}} {
		rng := rand.New(rand.NewPCG(12, 1))
		var repeats []int
		for n := range runs {
			u := untilDecided(&machine{rng: rng, scatter: c.scatter, bad: c.bad}, uint64(n), c.speed, 40)
			if u.Ended == record.EndedKnown && u.Verdict.Decision == c.want {
				repeats = append(repeats, u.Repeats)
			}
		}
		slices.Sort(repeats)
		if len(repeats) == 0 {
			t.Fatalf("%v times as fast: never %s", c.speed, c.want)
		}
		t.Logf("%v times as fast, scatter %.1f %%: %s in %d of %d, after %d repeats in the median", c.speed, 100*c.scatter, c.want, len(repeats), runs,
			repeats[len(repeats)/2])
		if len(repeats) < c.least || repeats[len(repeats)/2] > c.median {
			t.Errorf("%v times as fast: %d of %d, median %d", c.speed, len(repeats), runs, repeats[len(repeats)/2])
		}
	}
}

package runflags

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// until are the flags that end a run when it knows enough. Each is a setting of the scenario in short.
type until struct {
	precision, decided part
	atMost             time.Duration
	set                *pflag.FlagSet
}

// decidedByDefault is the threshold of upflab compare.
const decidedByDefault = "3%"

func (u *until) add(set *pflag.FlagSet) {
	u.set = set
	set.Var(&u.precision, "precision", "make repeats until each figure is known to `RATIO` of itself, as 2% (settings until.*)")
	set.Var(&u.decided, "until-decided", "make repeats until it is decided whether the second of two UPFs or builds is worse than the first by more "+
		"than `RATIO`, as --until-decided=5%; alone: "+decidedByDefault)
	set.Lookup("until-decided").NoOptDefVal = decidedByDefault
	set.DurationVar(&u.atMost, "at-most", 0, "with --precision or --until-decided: how long the run may take, `TIME` (default 20m)")
}

// Settle turns what was given into settings.
func (u *until) settle(sets []string) []string {
	for _, s := range []struct {
		flag, key string
		value     fmt.Stringer
	}{{"precision", "until.precision", &u.precision}, {"until-decided", "until.decided", &u.decided}, {"at-most", "until.at_most", u.atMost}} {
		if u.set != nil && u.set.Changed(s.flag) {
			sets = append(sets, s.key+"="+s.value.String())
		}
	}
	return sets
}

// Decides reports whether the run goes on until it is decided which of two UPFs is worse.
func (f *Flags) Decides() bool { return f.until.set != nil && f.until.set.Changed("until-decided") }

// DrawSeed adds a seed of the order of visits to the settings, where a run goes on until it is decided: what happens at the
// same time each night then meets other visits. given is the seed of the scenario's file, and usual that of one that says
// none.
func (f *Flags) DrawSeed(given, usual int) {
	says := func(s string) bool { return strings.HasPrefix(s, "seed=") }
	if f.Decides() && given == usual && !slices.ContainsFunc(f.Sets, says) {
		f.Sets = append(f.Sets, fmt.Sprintf("seed=%d", 1+rand.Uint32N(math.MaxUint32)))
	}
}

// part is a ratio above 0, written as 2% or 0.02.
type part float64

// highest is the largest part that the keys take.
const highest = 0.5

// Set reads the flag.
func (p *part) Set(text string) error {
	number, hundredths := strings.CutSuffix(strings.TrimSpace(text), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return fmt.Errorf("it takes a ratio, written 2%% or 0.02")
	}
	if hundredths {
		v /= 100
	}
	if !(v > 0 && v <= highest) {
		return fmt.Errorf("it takes a ratio above 0 and up to 50%%, written 2%% or 0.02: nothing is known exactly, and a larger one says nothing")
	}
	*p = part(v)
	return nil
}

// String writes it as the key has it.
func (p *part) String() string { return strconv.FormatFloat(float64(*p), 'f', -1, 64) }

// Type is what the help calls it.
func (p *part) Type() string { return "ratio" }

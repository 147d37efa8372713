package runflags

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestUntilDecidedDrawsASeed: visits are in another order each night, unless the user says which.
func TestUntilDecidedDrawsASeed(t *testing.T) {
	settled := func(given int, args ...string) []string {
		var f Flags
		set := pflag.NewFlagSet("run", pflag.ContinueOnError)
		f.Add(set)
		if err := set.Parse(args); err != nil {
			t.Fatal(err)
		}
		f.Settle()
		f.DrawSeed(given, 1)
		return f.Sets
	}
	seeds := func(sets []string) (list []string) {
		return slices.DeleteFunc(slices.Clone(sets), func(s string) bool { return !strings.HasPrefix(s, "seed=") })
	}
	if a, b := seeds(settled(1, "--until-decided")), seeds(settled(1, "--until-decided")); len(a) != 1 || slices.Equal(a, b) {
		t.Errorf("%q, then %q", a, b)
	}
	if got := seeds(settled(1, "--until-decided", "--set", "seed=7")); !slices.Equal(got, []string{"seed=7"}) {
		t.Errorf("of seed 7: %q", got)
	}
	if got := seeds(settled(5, "--until-decided")); len(got) != 0 {
		t.Errorf("of a file with a seed: %q", got)
	}
	if got := seeds(settled(1, "--precision", "2%")); len(got) != 0 {
		t.Errorf("of a precision: %q", got)
	}
}

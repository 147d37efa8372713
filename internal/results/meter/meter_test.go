package meter

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

func at(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * 1e9)) }

// TestJoules: 10 W that rise to 30 W over 4 s and stay: 80 J within the 4 s, 30 J a second afterwards; by hand.
func TestJoules(t *testing.T) {
	var watts, joules strings.Builder
	watts.WriteString("time, outlet ,Watts\n")
	joules.WriteString("joules,time\n")
	for s := 0; s <= 10; s++ {
		w := min(10+5*float64(s), 30)
		j := 10*float64(s) + 2.5*float64(s*s)
		if s > 4 {
			j = 80 + 30*float64(s-4)
		}
		fmt.Fprintf(&watts, "%s,3,%g\n", at(float64(s)).UTC().Format(time.RFC3339), w)
		fmt.Fprintf(&joules, "%g,%d\n", 500+j, 1000+s)
	}
	for _, text := range []string{watts.String(), joules.String()} {
		l, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ from, to, want float64 }{{0, 4, 80}, {4, 8, 120}, {4.5, 9.5, 150}, {0, 10, 260}} {
			if got, ok := l.Joules(at(c.from), at(c.to)); !ok || math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%g to %g: %g J, %v, want %g", c.from, c.to, got, ok, c.want)
			}
		}
		for _, c := range [][2]float64{{-1, 4}, {8, 11}, {4.1, 5.9}, {20, 30}} { // before, after, one reading
			if got, ok := l.Joules(at(c[0]), at(c[1])); ok {
				t.Errorf("%v: %g J", c, got)
			}
		}
	}
}

// TestRefused: each fault is named with its line.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "it is empty",
		"a,b\n1,2\n":                          "give two columns",
		"time,watts,joules\n1,2,3\n":          "give two columns",
		"time,watts\n1,2\n":                   "has 1 readings",
		"time,watts\n1,2\n1,3\n":              "line 3: its time",
		"time,watts\n2,2\n1,3\n":              "line 3: its time",
		"time,watts\n1,2\n2,-3\n":             `line 3: "-3" is no reading`,
		"time,watts\n1,2\n2,NaN\n":            "is no reading",
		"time,watts\n1,2\n2,1e9\n":            "is no reading",
		"time,joules\n1,2\n2,1\n":             "fewer than on the line before",
		"time,watts\n1,2\nyesterday,3\n":      "line 3: \"yesterday\" is no time",
		"time,watts\n1,2\n2\n":                "wrong number of fields",
		"time,watts\n1,2\n2,3\n2026-11":       "it is cut off in line 4: copy it again",
		"time,watts\n1,2\n2,3\n3,":            "it is cut off in line 4",
		"time,watts\n1,2\n2,-3\n3":            `line 3: "-3" is no reading`,
		"time,watts\n1,2\n99999999999999,3\n": "is no time",
	} {
		if l, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v; want %q", text, l, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("time,watts\n1,2\n2,3\n3,3\n"))
	f.Add([]byte("joules,time\n1,2026-11-28T21:00:00Z\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := Parse(text)
		if err != nil {
			return
		}
		first, last := l.times[0], l.times[len(l.times)-1]
		if j, ok := l.Joules(first, last); ok && !(j >= 0) {
			t.Errorf("%g J", j)
		}
		l.Joules(first.Add(time.Nanosecond), last)
	})
}

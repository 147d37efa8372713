package report

import (
	"math"
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		story string
		write unit
		in    float64
		want  string
	}{
		{"two decimals, as the studies have", kpps, 150_052, "150.05"},
		{"millions", mpps, 2_911_600, "2.91"},
		{"few packets keep a digit", mpps, 1_000, "0.001"},
		{"unknown rate", kpps, math.NaN(), "n/a"},
		{"infinite rate", mpps, math.Inf(1), "n/a"},
		{"bits", gbps, 33.588e9, "33.59"},
		{"few bits", gbps, 11.9e6, "0.0119"},
		{"below ten µs", micros, 4_351, "4.35"},
		{"just below ten", micros, 9_996, "10.0"},
		{"tens of µs", micros, 35_300, "35.3"},
		{"just below a hundred", micros, 99_960, "100"},
		{"hundreds of µs", micros, 118_800, "119"},
		{"latency unknown", micros, math.NaN(), "n/a"},
		{"the studies' ms", millis, 302_000, "0.302"},
		{"a few µs in ms", millis, 8_700, "0.0087"},
		{"ns a packet", nanos, 337.6, "338"},
		{"cores", cores, 0.9834, "0.983"},
		{"percent", percent, 0.094, "9.40"},
		{"no loss", lossRatio, 0, "0"},
		{"rare loss", lossRatio, 1.3e-5, "1.3e-5"},
		{"very rare loss", lossRatio, 1.3e-12, "1.3e-12"},
		{"a percent", lossRatio, 0.00935, "0.94 %"},
		{"much loss", lossRatio, 0.4704, "47.0 %"},
		{"loss of nothing sent", lossRatio, math.NaN(), "n/a"},
		{"not timed", seconds, 0, "n/a"},
		{"fast", seconds, 0.0019, "1.9 ms"},
		{"slow", seconds, 1.214, "1.21 s"},
	} {
		if got := c.write(c.in); got != c.want {
			t.Errorf("%s: %v is written %q, want %q", c.story, c.in, got, c.want)
		}
	}
}

func TestCountAndSize(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 9437184: "9.0 MiB", 1 << 50: "1024.0 TiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestInstant(t *testing.T) {
	if got := instant(time.Time{}); got != "n/a" {
		t.Errorf("no time is %q", got)
	}
	at := time.Date(2026, 3, 2, 10, 14, 2, 0, time.FixedZone("", 3600))
	if got := instant(at); got != "2026-03-02 09:14:02 UTC" {
		t.Errorf("instant = %q", got)
	}
}

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ story, in, want string }{
		{"colours of a log", "\x1b[31mERR\x1b[0m down", "ERR down"},
		{"cut off in a sequence", "ERR \x1b[31", "ERR 31"},
		{"bell and clear screen", "a\a\x1b[2Jb", "a b"},
		{"lines become one", "a\r\n\tb", "a b"},
	} {
		if got := printable(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
	}
}

func TestCommandLine(t *testing.T) {
	got := commandLine([]string{"upflab", "run", "--set", "loads=150k,max", "--out", "a b", "it's", ""})
	if want := `upflab run --set loads=150k,max --out 'a b' 'it'\''s' ''`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

package units

import (
	"math"
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		story string
		write Writer
		in    float64
		want  string
	}{
		{"two decimals, as the studies have", Kpps, 150_052, "150.05"},
		{"millions", Mpps, 2_911_600, "2.91"},
		{"few packets keep a digit", Mpps, 1_000, "0.001"},
		{"unknown rate", Kpps, math.NaN(), "n/a"},
		{"infinite rate", Mpps, math.Inf(1), "n/a"},
		{"bits", Gbps, 33.588e9, "33.59"},
		{"few bits", Gbps, 11.9e6, "0.0119"},
		{"below ten µs", Micros, 4_351, "4.35"},
		{"just below ten", Micros, 9_996, "10.0"},
		{"tens of µs", Micros, 35_300, "35.3"},
		{"just below a hundred", Micros, 99_960, "100"},
		{"hundreds of µs", Micros, 118_800, "119"},
		{"latency unknown", Micros, math.NaN(), "n/a"},
		{"the longest in a column of µs", Micros, 9_999_000, "9999"},
		{"too long for a column of µs", Micros, 2_449_474e3, "2.45 s"},
		{"too long for a column of ms", Millis, 31_500e6, "31.5 s"},
		{"a line's µs", Time, 999_000, "999 µs"},
		{"a line's ms", Time, 1_234_000, "1.23 ms"},
		{"just below a second", Time, 999_600_000, "1.00 s"},
		{"a line's s", Time, 2_449_474e3, "2.45 s"},
		{"a time unknown", Time, math.NaN(), "n/a"},
		{"the studies' ms", Millis, 302_000, "0.302"},
		{"a few µs in ms", Millis, 8_700, "0.0087"},
		{"ns a packet", Nanos, 337.6, "338"},
		{"cores", Cores, 0.9834, "0.983"},
		{"percent", Percent, 0.094, "9.40"},
		{"no loss", Loss, 0, "0"},
		{"rare loss", Loss, 1.3e-5, "1.3e-5"},
		{"very rare loss", Loss, 1.3e-12, "1.3e-12"},
		{"a percent", Loss, 0.00935, "0.94 %"},
		{"much loss", Loss, 0.4704, "47.0 %"},
		{"loss of nothing sent", Loss, math.NaN(), "n/a"},
		{"not timed", Seconds, 0, "n/a"},
		{"fast", Seconds, 0.0019, "1.9 ms"},
		{"slow", Seconds, 1.214, "1.21 s"},
		{"half an hour", Seconds, 1800, "1800 s"},
	} {
		if got := c.write(c.in); got != c.want {
			t.Errorf("%s: %v is written %q, want %q", c.story, c.in, got, c.want)
		}
	}
}

func TestCountAndSize(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("count(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 9437184: "9.0 MiB", 1 << 50: "1024.0 TiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestInstant(t *testing.T) {
	if got := Instant(time.Time{}); got != "n/a" {
		t.Errorf("no time is %q", got)
	}
	at := time.Date(2026, 3, 2, 10, 14, 2, 0, time.FixedZone("", 3600))
	if got := Instant(at); got != "2026-03-02 09:14:02 UTC" {
		t.Errorf("Instant = %q", got)
	}
}

func TestLastLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "\n\n": "", "one": "one", "one\n": "one", "one\n two \r\n\n": "two",
	} {
		if got := LastLine(text); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}

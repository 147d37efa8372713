package scenario

import (
	"strings"
	"testing"
	"time"
)

func TestParseLoad(t *testing.T) {
	for _, c := range []struct {
		text string
		pps  float64
		back string
	}{
		{"max", 0, "max"},
		{"150000", 150000, "150k"},
		{"150k", 150000, "150k"},
		{"150K", 150000, "150k"},
		{"1M", 1000000, "1M"},
		{"1.5M", 1500000, "1.5M"},
		{"1.1M", 1100000, "1.1M"}, // 1.1 * 1e6 would not be whole
		{"960kpps", 960000, "960k"},
		{"960 kpps", 960000, "960k"},
		{"12pps", 12, "12"},
		{"0.5k", 500, "500"},
		{"1234567", 1234567, "1234567"},
		{"1G", 1e9, "1G"},
	} {
		got, err := ParseLoad(c.text)
		if err != nil || got.PPS != c.pps || got.String() != c.back {
			t.Errorf("ParseLoad(%q) = %v (%s), %v; want %v (%s)", c.text, got.PPS, got, err, c.pps, c.back)
		}
	}
}

func TestParseLoadRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "not a rate"},
		{"fast", "not a rate"},
		{"-1", "not a rate"},
		{"1.2.3k", "not a rate"},
		{".", "not a rate"},
		{"0", "sends nothing"},
		{"0.0k", "sends nothing"},
		{"5m", `unit "m"`},
		{"5Gbps", `unit "Gbps"`},
		{"1e3", `unit "e3"`},
		{"150k, max", "unit"},
	} {
		if got, err := ParseLoad(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("ParseLoad(%q) = %v, %v; want an error with %q", c.text, got, err, c.want)
		}
	}
	if _, err := ParseRate("max"); err == nil {
		t.Error("ParseRate takes max")
	}
}

func TestParseDuration(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		back string
	}{
		{"3s", 3 * time.Second, "3s"},
		{"500ms", 500 * time.Millisecond, "500ms"},
		{"1m", time.Minute, "1m"},
		{"60s", time.Minute, "1m"},
		{"1m30s", 90 * time.Second, "1m30s"},
		{"2h", 2 * time.Hour, "2h"},
		{"20m", 20 * time.Minute, "20m"},
		{"10h0m5s", 10*time.Hour + 5*time.Second, "10h0m5s"},
		{"0", 0, "0s"},
	} {
		got, err := ParseDuration(c.text)
		if err != nil || got.Duration != c.want || got.String() != c.back {
			t.Errorf("ParseDuration(%q) = %s, %v; want %s", c.text, got, err, c.back)
		}
	}
	for text, want := range map[string]string{"3": "no unit; write 3s", "1.5": "no unit", "3 s": "not a duration",
		"x": "not a duration", "": "not a duration", "3d": "not a duration"} {
		if got, err := ParseDuration(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseDuration(%q) = %s, %v; want an error with %q", text, got, err, want)
		}
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int{"1400": 1400, "1400B": 1400, "64 B": 64} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"1400kB": `unit "kB"`, "1.4k": `unit "k"`, "1.5": "whole bytes",
		"": "not a size", "big": "not a size", "99999999999999999999": "not a size"} {
		if got, err := ParseSize(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSize(%q) = %d, %v; want an error with %q", text, got, err, want)
		}
	}
}

package published

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestStudies(t *testing.T) {
	all, err := Studies()
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range all {
		keys = append(keys, s.Source.Key)
		if strings.TrimSpace(s.Source.Authors+s.Source.Title) == "" || len(s.Measurements) == 0 {
			t.Errorf("%s is empty", s.Source.Key)
		}
	}
	want := []string{"open5gs-stress", "real-world-5g", "sdcore-cni", "srsran-goodput", "trex-load-latency"}
	if !slices.Equal(keys, want) {
		t.Errorf("studies %v, want %v", keys, want)
	}
}

// A study of frames gives packets/s and bits/s: their ratio is the frame, which
// is known, so that a slip of the pen shows.
func TestRatesAgreeWithFrames(t *testing.T) {
	all, err := Studies()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		for _, m := range s.Measurements {
			if m.Kind != KindLoad || s.Conditions.PayloadBytes == 0 {
				continue
			}
			const fcs = 4
			n3, n6 := float64(s.Conditions.PayloadBytes+86+fcs), float64(s.Conditions.PayloadBytes+42+fcs)
			tx, rx := n3, n6
			if m.Direction == "downlink" {
				tx, rx = n6, n3
			}
			within(t, s, m, TxRate, TxL2, tx)
			within(t, s, m, RxRate, RxL2, rx)
		}
	}
}

// within allows for rounding to 0.01 Gbit/s, and 8 bytes of a container left out.
func within(t *testing.T, s Study, m Measurement, rate, bits string, frame float64) {
	t.Helper()
	r, b := value(m, rate), value(m, bits)
	if r == 0 || b == 0 {
		return
	}
	got := b * 1e9 / 8 / (r * 1e3)
	if tolerance := 9 + 0.005/b*frame; math.Abs(got-frame) > tolerance {
		t.Errorf("%s, %s:%s %s: %s is %.0f bytes a packet, want %.0f", s.Source.Key, m.Driver, m.Mode, m.Direction, bits, got, frame)
	}
}

func value(m Measurement, quantity string) float64 {
	for _, f := range m.Figures {
		if f.Quantity == quantity && f.Qualifier == "" {
			return f.Value
		}
	}
	return 0
}

func TestParseRefuses(t *testing.T) {
	schema, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	good, err := files.ReadFile("studies/open5gs-stress.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"no validity":       {"    validity: >-\n", "    conditions2: >-\n"},
		"unknown unit":      {"unit: kpps", "unit: pps"},
		"unknown quantity":  {"quantity: rx_rate", "quantity: speed"},
		"unknown direction": {"direction: uplink", "direction: up"},
		"no year":           {"  year: 2025\n", ""},
		"a value in words":  {"value: 4,", "value: four,"},
		"another key":       {"key: open5gs-stress", "key: other"},
		"no repeat":         {"    repeat: stress\n", ""},
		"unknown repeat":    {"    repeat: stress\n", "    repeat: nothing\n"},
		"an unused repeat":  {"repeats:\n", "repeats:\n  more: {how: not, text: why}\n"},
		"no figure of ours": {"    ours: 0 % lost", "    conditions2: 0 % lost"},
		"no command":        {"    command: upflab run stress", "    text2: upflab run stress"},
		"in part, untold":   {"    text: >-\n", "    command2: >-\n"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := strings.Replace(string(good), change[0], change[1], 1)
			if bad == string(good) {
				t.Fatal("the test changes nothing")
			}
			if _, err := parse(schema, "open5gs-stress", []byte(bad)); err == nil {
				t.Error("accepted")
			}
		})
	}
}

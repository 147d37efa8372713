package threshold

import (
	"strings"
	"testing"
)

// TestNamesThatTheRunLacks: a typing error is no DUT, and no DUT is its own limit.
func TestNamesThatTheRunLacks(t *testing.T) {
	labels := []string{"wire", "builtin:xdp", "builtin:tun"}
	for text, want := range map[string]string{
		"rx_pps >= 1M @ sideways":                        "names sideways, which is not in this run: it has wire, builtin:xdp, builtin:tun",
		"rx_pps >= 1M @ eupf":                            "names eupf",
		"rx_pps >= 0.8 * wires":                          "names wires",
		"rx_pps >= builtin:tun @ builtin:tun max":        "compares builtin:tun with itself",
		"rx_pps >= 90% of builtin:xdp @ builtin:xdp max": "compares builtin:xdp with itself",
		"rx_pps >= 90% of builtin:tun @ builtin:xdp max": "",
		"rx_pps >= 80% of wire @ builtin uplink":         "",
		"rx_pps >= 1M":                                   "",
	} {
		one, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		switch err := CheckNames([]Threshold{one}, labels); {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"rx_pps >= nan", "rx_pps >= NaN", "rx_pps < inf", "rx_pps >= -Inf"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

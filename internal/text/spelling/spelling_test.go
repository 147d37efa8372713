package spelling

import "testing"

func TestDidYouMean(t *testing.T) {
	names := []string{"rx_pps", "tx_pps", "latency.p99", "latency.p50"}
	for word, want := range map[string]string{
		"rx_pp": " (did you mean rx_pps?)", "x_pps": " (did you mean rx_pps or tx_pps?)",
		"p99": " (did you mean latency.p99?)", "wibble": "", "": "",
	} {
		if got := DidYouMean(word, names); got != want {
			t.Errorf("DidYouMean(%q) = %q, want %q", word, got, want)
		}
	}
}

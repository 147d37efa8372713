package dut

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestClaims: a claim is the sum over all labels, or of the one that it names.
func TestClaims(t *testing.T) {
	list := []Counter{{"upf_rx{packet_type=\"gtp-pdu\"}", 3}, {"upf_rx{packet_type=\"gtp-echo\"}", 4},
		{"fivegs_ep_n3_gtp_InDataPktN3UPF", 5}, {"/counters.datapath.uplink.packets", 6}}
	for name, want := range map[string]float64{"upf_rx": 7, `upf_rx{packet_type="gtp-pdu"}`: 3, "ep_n3_gtp_indatapktn3upf": 5,
		"/counters.datapath.uplink.packets": 6} {
		if got, shown := (Claim{Name: name}).Value(list); got != want || !shown {
			t.Errorf("%s: %v, shown %v; want %v", name, got, shown, want)
		}
	}
	if _, shown := (Claim{Name: "upf_tx"}).Value(list); shown {
		t.Error("a counter that is not there is shown")
	}
}

// TestJSON: each number of an answer is a counter, and what cannot be read leaves the rest.
func TestJSON(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"sessions":2,"datapath":{"uplink":{"packets":7}},"name":"x"}`))
	}))
	defer server.Close()
	j := JSON{URL: server.URL + "/counters", Path: "/counters", Client: server.Client()}
	broken := func() ([]Counter, error) { return nil, errors.New("no metrics") }
	list, err := Together(broken, j.Read)()
	if len(list) != 2 || err == nil || !strings.Contains(err.Error(), "no metrics") {
		t.Errorf("%v, %v", list, err)
	}
	if n, shown := (Claim{Name: "/counters.datapath.uplink.packets"}).Value(list); n != 7 || !shown {
		t.Errorf("%v, shown %v", n, shown)
	}
}

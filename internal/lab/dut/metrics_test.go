package dut

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// TestMetrics: counters of the user plane are read with their labels, those of the program are not.
func TestMetrics(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte(`# TYPE fivegs_ep_n3_gtp_indatapktn3upf counter
fivegs_ep_n3_gtp_indatapktn3upf 12
# TYPE fivegs_ep_n3_gtp_outdatavolumeqosleveln3upf counter
fivegs_ep_n3_gtp_outdatavolumeqosleveln3upf{qfi="9"} 3400
own_down 7
# TYPE go_goroutines gauge
go_goroutines 8
`))
	}))
	defer server.Close()
	m := Metrics{URL: server.URL + "/metrics", Client: server.Client()}
	got, err := m.Read()
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b Counter) int { return strings.Compare(a.Name, b.Name) })
	want := []Counter{{"fivegs_ep_n3_gtp_indatapktn3upf", 12},
		{`fivegs_ep_n3_gtp_outdatavolumeqosleveln3upf{qfi="9"}`, 3400}, {"own_down", 7}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	m.URL = server.URL + "/other"
	if _, err := m.Read(); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("an error is taken for counters: %v", err)
	}
}

package benchmark

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// Counting by windows may cost 3 %, in the median of ratios pair by pair: a machine whose speed halves in the
// midst of the pairs changes nothing.
func TestInTurn(t *testing.T) {
	for _, c := range []struct {
		story         string
		with, without []float64
		ok            bool
		value         string
	}{
		{"2 % less", []float64{98e4, 98e4, 49e4}, []float64{1e6, 1e6, 5e5}, true, "0.980 (0.98 and 1.00 Mpps)"},
		{"4 % less", []float64{96e4, 96e4, 48e4}, []float64{1e6, 1e6, 5e5}, false, "0.960 (0.96 and 1.00 Mpps)"},
		{"one bad pair", []float64{97e4, 5e4, 99e4}, []float64{1e6, 1e6, 1e6}, true, "0.970 (0.97 and 1.00 Mpps)"},
		{"the machine slows down", []float64{1e6, 5e5, 5e5}, []float64{1e6, 1e6, 5e5}, true, "1.000 (0.50 and 1.00 Mpps)"},
	} {
		if row := inTurn("sent", c.with, c.without); row.OK != c.ok || row.Value != c.value {
			t.Errorf("%s: %v, %s; want %v, %s", c.story, row.OK, row.Value, c.ok, c.value)
		}
	}
}

// Several CPUs are compared with one round by round; one CPU alone gives rates.
func TestScalingRow(t *testing.T) {
	all := &windowed{sent: []float64{2e6, 3e6, 1e6}, received: []float64{1e6, 3e6, 1e6}}
	one := &windowed{sent: []float64{1e6, 2e6, 1e6}, received: []float64{1e6, 2e6, 1e6}}
	if got, want := scalingRow(2, all, one).Value, "sent 1.50 (2.00 Mpps), received 1.00 (1.00)"; got != want {
		t.Errorf("2 CPUs: %s, want %s", got, want)
	}
	if got, want := scalingRow(1, one, one).Value, "sent 1.00 Mpps, received 1.00"; got != want {
		t.Errorf("1 CPU: %s, want %s", got, want)
	}
}

// The address is that of the server's first line, without which the error says what there was.
func TestServed(t *testing.T) {
	for said, want := range map[string]string{
		"results in r: http://127.0.0.1:41/ (Ctrl-C ends it)\nmore\n": "http://127.0.0.1:41/",
		"it is closed\n": "",
		"":               "",
	} {
		got, err := served(strings.NewReader(said))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", said, got, err)
		}
	}
}

// A reader of the live page wants the page, and at least one point on it.
func TestFollow(t *testing.T) {
	for _, c := range []struct {
		story, body string
		status      int
		want        string
	}{
		{"points", "data: {\"stage\":1}\n\ndata: {\"point\":{}}\n", http.StatusOK, ""},
		{"no point", "data: {\"stage\":1}\n", http.StatusOK, "no point"},
		{"no page", "", http.StatusNotFound, "404"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		}))
		defer s.Close()
		request, err := http.NewRequest(http.MethodGet, s.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		began := 0
		err = follow(request, func() { began++ })
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) || (began > 0) != (c.body != "") {
			t.Errorf("%s: %v, began %d times", c.story, err, began)
		}
	}
}

// Only a name of the list selects a benchmark; each is there once.
func TestNames(t *testing.T) {
	names := Names()
	if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("a name is there twice: %v", names)
	}
	said := 0
	b := &Bench{Only: "none of them", Say: func(string) { said++ }}
	if rows, err := b.All(context.Background()); len(rows) != 0 || err != nil || said != 0 {
		t.Errorf("%v, %v; %d began", rows, err, said)
	}
}

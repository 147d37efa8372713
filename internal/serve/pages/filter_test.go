package pages

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// mixed is a folder with runs of two scenarios, two UPFs and three verdicts.
func mixed(t *testing.T) string {
	t.Helper()
	dir := folder(t)
	add := func(name string, n int, change func(*record.Result)) {
		r := sample(n, 2e6)
		change(r)
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := store.Save(path, r); err != nil {
			t.Fatal(err)
		}
	}
	limit := 3e6
	add("smoke-open5gs", 20, func(r *record.Result) { r.Scenario, r.DUTs[1].Name, r.DUTs[1].Mode = "smoke", "open5gs", "" })
	add("missed", 21, func(r *record.Result) {
		value := 2e6
		r.Thresholds = []record.Threshold{{Expression: "rx_pps >= 3M", DUT: "eupf:native", Figure: "rx_pps",
			Where: "uplink max", Value: &value, Limit: &limit,
			Unit: "packets/s", Outcome: record.OutcomeFail}}
	})
	add("interrupted", 22, func(r *record.Result) { r.Complete = false })
	return dir
}

// TestListFilters: the address chooses by scenario, UPF, verdict and text, and the form has what it
// says; a value that nobody made a list of is no markup.
func TestListFilters(t *testing.T) {
	s := serve(t, mixed(t), Options{Loopback: true})
	for query, want := range map[string]struct{ has, hasNot string }{
		"":                                 {"/runs/missed", "No run is like that"},
		"?scenario=smoke":                  {"/runs/smoke-open5gs", "/runs/night-03"},
		"?dut=eupf:native":                 {"/runs/night-03", "/runs/smoke-open5gs"},
		"?verdict=threshold+failed":        {"/runs/missed", "/runs/night-03"},
		"?verdict=incomplete":              {"/runs/interrupted", "/runs/missed"},
		"?text=NIGHT-07+lab":               {"/runs/night-07", "/runs/night-03"},
		"?text=%22%3E%3Cscript%3E":         {"No run is like that", "<script>\""},
		"?scenario=smoke&verdict=passed":   {"No run is like that", "/runs/night-03"},
		"?dut=open5gs&text=smoke&runs=all": {"/runs/smoke-open5gs", "/runs/night-03"},
	} {
		status, body := get(t, s.Client(), s.URL+"/"+query)
		_, list, _ := strings.Cut(body, "<h2>Runs</h2>")
		if status != http.StatusOK || !strings.Contains(list, want.has) || strings.Contains(list, want.hasNot) {
			t.Errorf("%q: status %d, has %q: %v, has %q: %v", query, status, want.has, strings.Contains(list, want.has),
				want.hasNot, strings.Contains(list, want.hasNot))
		}
	}
	_, body := get(t, s.Client(), s.URL+"/?verdict=incomplete&text=%22%3E%3Cscript%3Ealert(2)")
	for _, want := range []string{`value="incomplete" selected`, `value="&#34;&gt;&lt;script&gt;alert(2)"`, `<a href="/">Show all</a>`} {
		if !strings.Contains(body, want) {
			t.Errorf("the form has no %s", want)
		}
	}
	if _, body := get(t, s.Client(), s.URL+"/?dut=gone"); !strings.Contains(body, `value="gone" selected`) {
		t.Error("a UPF that is gone is not shown as chosen")
	}
}

// TestListHasHeadlines: rates, verdict and the line of rates are in the list.
func TestListHasHeadlines(t *testing.T) {
	s := serve(t, mixed(t), Options{Loopback: true})
	_, body := get(t, s.Client(), s.URL+"/")
	for _, want := range []string{"2.0", "Rx rate", `<span class="pill bad">threshold failed</span>`, "thresholds: 0 of 1 pass",
		`<span class="pill warn">incomplete</span>`, `<svg class="spark"`, "The rate over the last"} {
		if !strings.Contains(body, want) {
			t.Errorf("the list has no %q", want)
		}
	}
}

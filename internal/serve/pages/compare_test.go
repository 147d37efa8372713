package pages

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
)

// TestAdvice: what a comparison leaves open is a link to what settles it, and each link leads to a
// page that has it.
func TestAdvice(t *testing.T) {
	dir := mixed(t)
	for n, pps := range []float64{2e6, 1.5e6} { // each repeated, so that the difference is shown
		r := sample(40+n, pps)
		for i := range r.DUTs {
			one := r.DUTs[i].Trials[0]
			for repeat := 2; repeat <= 6; repeat++ {
				one.Repeat, one.RxPPS = repeat, one.RxPPS*(1+0.001*float64(repeat%2))
				r.DUTs[i].Trials = append(r.DUTs[i].Trials, one)
			}
		}
		r.Host.Kernel = []string{"6.1", "6.12"}[n]
		add(t, dir, []string{"before", "after"}[n], r)
	}
	s := serve(t, dir, Options{Loopback: true, Runs: starter(t, dir)})
	links := func(page string) string {
		_, body := get(t, s.Client(), s.URL+page)
		_, after, _ := strings.Cut(body, "What to do next")
		list, _, _ := strings.Cut(after, "</table>")
		return html.UnescapeString(list)
	}
	for page, wants := range map[string][]string{
		"/compare?a=night-00&b=night-11": {`/start?dut=eupf%3Anative&repeats=2&scenario=nightly`,
			`/compare?a=night-11&b=night-00`, `/compare?a=night-10&b=night-11`},
		"/compare?a=before&b=after":      {`/history?pin=rx_pps&scenario=nightly`, `/runs/before`, `/runs/after`},
		"/compare?a=night-03&b=night-03": {`/compare?a=night-02&b=night-03`},
	} {
		list := links(page)
		for _, want := range wants {
			if !strings.Contains(list, `href="`+want+`"`) {
				t.Errorf("%s has no link to %s:\n%s", page, want, list)
			}
		}
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(list, -1) {
			if status, _ := get(t, s.Client(), s.URL+m[1]); status != http.StatusOK {
				t.Errorf("%s leads to %s: status %d", page, m[1], status)
			}
		}
	}
	_, form := get(t, s.Client(), s.URL+"/start?scenario=ndr&dut=container:eupf&repeats=8&loads=%22%3E%3Cb%3E")
	for _, want := range []string{`<option selected>ndr`, `value="container:eupf" checked`, `name="repeats" value="8"`,
		`value="&#34;&gt;&lt;b&gt;"`} {
		if !strings.Contains(form, want) {
			t.Errorf("the form that an address fills has no %s", want)
		}
	}
	if list := links("/compare?a=night-00&b=night-11"); strings.Contains(list, "eupf:native\"") {
		t.Error("the label of a UPF is in an address as it is")
	}
	if to := predecessor(trends.History{Runs: []*history.Run{{Path: "a"}}}, "gone"); to != "" {
		t.Errorf("before a run that is gone there is %q", to)
	}
}

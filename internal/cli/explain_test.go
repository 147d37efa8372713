package cli

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/analysis/reason"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
)

// TestExplain: each reason has a cause and a fix, by its code with underscores or hyphens.
func TestExplain(t *testing.T) {
	for _, r := range reason.All() {
		status, out, said := typed("explain", strings.ReplaceAll(r.Code, "_", "-"))
		text := strings.Join(strings.Fields(out), " ")
		if status != 0 || !strings.Contains(text, r.Sentence) || !strings.Contains(text, r.Cause) || !strings.Contains(text, r.Fix) {
			t.Errorf("%s: status %d, %s\n%s", r.Code, status, said, out)
		}
	}
	if status, _, said := typed("explain", "cpus_apar"); status != exit.Usage || !strings.Contains(said, "cpus_apart") {
		t.Errorf("a reason with a slip: status %d, %s", status, said)
	}
}

// TestFixesCanBeTyped: each --set of a cause or fix is one that a run takes.
func TestFixesCanBeTyped(t *testing.T) {
	for _, r := range reason.All() {
		for _, m := range regexp.MustCompile(`--set ([a-z._]+=[^ ,.:;)]+)`).FindAllStringSubmatch(r.Cause+" "+r.Fix, -1) {
			if _, err := inputs.OpenScenario("load-latency", []string{m[1]}, false); err != nil {
				t.Errorf("%s says --set %s: %v", r.Code, m[1], err)
			}
		}
	}
}

// troubleshooting is the page.
func troubleshooting() string {
	var b strings.Builder
	b.WriteString("# Troubleshooting: why a figure is not valid, and what limited it\n\n" +
		"Reports and `result.json` name a reason for each trial and search (`reason_codes`). `upflab explain REASON` prints its entry.\n")
	for _, kind := range []struct {
		kind       reason.Kind
		head, text string
	}{
		{reason.NotValid, "Not valid",
			"The trial or search does not measure what it was meant to. It is shown and marked, and no median rests on it where valid ones exist."},
		{reason.LimitedBy, "Limited by", "What kept the figure from being higher. Only with `limited_by_dut` is it the UPF's own."},
		{reason.Doubt, "Keep in mind", "The figure counts."},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| reason | what it says | cause | fix |\n|---|---|---|---|\n", kind.head, kind.text)
		for _, r := range reason.All() {
			if r.Kind == kind.kind {
				fmt.Fprintf(&b, "| `%s`: %s | %s | %s | %s |\n", r.Code, r.Name, r.Sentence, r.Cause, r.Fix)
			}
		}
	}
	b.WriteString(refusals)
	return b.String()
}

// refusals are errors that end a visit, and what to do.
const refusals = `
## Errors of a UPF elsewhere

| error | cause | fix |
|---|---|---|
| the UPF accepted the sessions but forwards no uplink packets | The UPF is behind a veth and takes packets by kernel sockets. The engine XDP redirects frames to the veth, and the kernel drops them where the other end has neither GRO nor an XDP program. | upflab tries packet sockets too, and goes on with them when they come through: the first lines of the run say which engine sends. For the faster engine, switch GRO on at the other end of your veth, at the UPF or at the bridge between: ` + "`ethtool -K DEVICE gro on`" + `. Where packet sockets come through no better, look at the UPF's rules, routes and ` + "`ip -s link`" + `. |
`

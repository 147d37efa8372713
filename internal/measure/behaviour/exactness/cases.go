package exactness

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/text/selection"
)

// Groups describes the cases.
func Groups() [][2]string {
	return [][2]string{{"mbr", "Maximum bit rates, measured"}, {"flows", "QoS flows in competition"}, {"usage", "Usage under load, measured"},
		{"telemetry", "What the UPF says of itself"}}
}

// Cases lists the cases. Rates are offered for d each.
func Cases(d time.Duration) (list []b.Case) {
	for _, l := range limits() {
		for _, up := range []bool{true, false} {
			name := map[bool]string{true: "uplink", false: "downlink"}[up]
			list = append(list, b.Case{ID: "mbr." + name + "." + l.name,
				Title:  fmt.Sprintf("A maximum bit rate of %sbit/s %s is enforced within 1 %%", l.name, name),
				Clause: "TS 29.244 5.4.4, 8.2.8", Lasts: d + 2*below,
				Steps: func(*b.Fixture) []b.Step { return []b.Step{l.step(up, d)} }})
		}
	}
	list = append(list, flows(d)...)
	list = append(list, usage(d)...)
	return append(list, telemetry()...)
}

// Select gives the cases with the IDs, or in the groups, that are named; all when none is.
func Select(d time.Duration, names []string) ([]b.Case, error) {
	return selection.Of(Cases(d), func(c *b.Case) string { return c.ID }, "case of qos-accuracy", names)
}

// measured is the plain rules with a URR on both PDRs.
func measured(u *b.UE, g *b.Fixture, r rules.URR) rules.Session {
	s := b.Plain(u, g)
	r.ID, r.Method = 1, rules.ByVolume
	s.URRs = []rules.URR{r}
	s.PDRs[0].URRs, s.PDRs[1].URRs = []uint32{1}, []uint32{1}
	return s
}

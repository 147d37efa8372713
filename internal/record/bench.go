package record

import (
	"fmt"
	"strings"
)

// LinkEnd is an end of N3 or N6 as the run set it up.
type LinkEnd struct {
	Link   string `json:"link"` // "n3" | "n6"
	End    string `json:"end"`  // "upf" | "tester"
	Driver string `json:"driver"`
	// Offloads are those that are on, of those that upflab sets, as `ethtool -k` names them.
	Offloads []string `json:"offloads,omitempty"`
}

// Bench is what a run sent and received by, without the UPF: how much its figures scatter depends on that, as it
// does on the machine.
type Bench struct {
	Engine string `json:"engine"`
	N3     string `json:"n3"` // driver and offloads of the tester's end
	N6     string `json:"n6"`
}

// Bench is that of a run; ok is false as long as no link is known.
func (r *Result) Bench() (b Bench, ok bool) {
	b.Engine = r.Engine.Name
	for i := range r.DUTs {
		for _, e := range r.DUTs[i].Setup.Links {
			switch {
			case e.End != EndTester:
			case e.Link == "n3" && b.N3 == "":
				b.N3 = e.words()
			case e.Link == "n6" && b.N6 == "":
				b.N6 = e.words()
			}
		}
	}
	return b, b.N3 != "" || b.N6 != ""
}

// EndTester is the LinkEnd.End of this side.
const (
	EndTester = "tester"
	EndUPF    = "upf"
)

func (e LinkEnd) words() string {
	return strings.Join(append([]string{e.Driver}, e.Offloads...), " ")
}

// String is the bench in a sentence: "xdp over veth".
func (b Bench) String() string {
	links := b.N3
	switch {
	case b.N3 == "":
		links = b.N6
	case b.N6 != "" && b.N6 != b.N3:
		links = fmt.Sprintf("%s (N3) and %s (N6)", b.N3, b.N6)
	}
	return b.Engine + " over " + links
}

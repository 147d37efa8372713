package upf

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/upf"
	"github.com/upflab/upflab/upf/datapath"
)

func newUPFDrops() *cobra.Command {
	var a asking
	c := &cobra.Command{
		Use: "drops", Short: "Show what a running UPF dropped, by reason, and what to look at", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var counters upf.Counters
			if err := a.client().Get(c.Context(), "/counters", &counters); err != nil {
				return err
			}
			return a.print(c, counters.Datapath.Drops, func(w io.Writer) error { return writeDrops(w, &counters) })
		},
	}
	a.flags(c)
	a.jsonFlag(c)
	return c
}

func writeDrops(to io.Writer, counters *upf.Counters) error {
	d := counters.Datapath
	reasons := slices.SortedFunc(maps.Keys(d.Drops), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.Drops[b], d.Drops[a]), cmp.Compare(a, b))
	})
	looks := map[string]string{}
	for _, r := range datapath.Reasons() {
		looks[r.String()] = r.Look()
	}
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "packets\treason\tlook at")
	for _, r := range reasons {
		fmt.Fprintf(w, "%d\t%s\t%s\n", d.Drops[r], r, console.Dash(looks[r]))
	}
	for i, one := range d.Workers {
		if one.Lost+one.Missed > 0 {
			fmt.Fprintf(w, "%d\tworker %d: refused by the kernel, or no room to receive\tthe load of the CPUs, "+
				"datapath.workers\n", one.Lost+one.Missed, i)
		}
	}
	for _, c := range []struct {
		packets    uint64
		what, look string
	}{
		{counters.SlowPath.Lost, "lost where the kernel was to send them", "ip neigh: a neighbour that does not answer; the MTUs of N3 and N6"},
		{d.Lost, "G-PDUs in fragments over which the kernel did not run the rules", "ip link: N3's interface; the MTU between the gNB and the UPF"},
		{counters.GTPU.Strays, "G-PDUs in fragments that were not forwarded", "the UPF's log; the MTU between the gNB and the UPF"},
		{counters.GTPU.Reassembled, "no loss: G-PDUs that came in fragments", "the MTU between the gNB and the UPF: fragments are slow"},
		{counters.SlowPath.Fragmented, "no loss: left in fragments", "the MTUs of N3, N6 and the UEs: fragments are slow"},
		{counters.PFCP.ExpiredSent, "no further loss: answered by ICMP, the TTL had expired", "a routing loop, or traceroute"},
	} {
		if c.packets > 0 {
			fmt.Fprintf(w, "%d\t%s\t%s\n", c.packets, c.what, c.look)
		}
	}
	fmt.Fprintf(w, "%d\tforwarded, for comparison\t-\n", d.Uplink.Packets+d.Downlink.Packets)
	return w.Flush()
}

package upf

import (
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/upf/control"
	"github.com/upflab/upflab/upf/session"
)

func newUPFSession() *cobra.Command {
	var a asking
	c := &cobra.Command{
		Use: "session SEID", Short: "Show one session of a running UPF: its rules, and what its URRs counted", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			seid, err := control.ParseSEID(args[0])
			if err != nil {
				return exit.WrongUsage(c, err)
			}
			var d control.Detail
			if err := a.client().Get(c.Context(), "/sessions/"+seid.String(), &d); err != nil {
				return err
			}
			return a.print(c, d, func(w io.Writer) error { return writeSession(w, d) })
		},
	}
	a.flags(c)
	a.jsonFlag(c)
	return c
}

func writeSession(to io.Writer, d control.Detail) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "session\t%v\n", d.SEID)
	fmt.Fprintf(w, "UE\t%s\n", console.Dash(ueText(d.UEs)))
	fmt.Fprintf(w, "SMF\t%s, from %v, its SEID %v\n", d.Node, d.Peer, d.CPSEID)
	fmt.Fprintf(w, "buffered\t%d packets\n", d.Held)
	w.Flush()
	for _, table := range [][]string{pdrLines(d.Rules), farLines(d.Rules), qerLines(d.Rules), urrLines(d.Rules, d.Usage)} {
		if len(table) > 1 {
			fmt.Fprintf(w, "\n%s\n", strings.Join(table, "\n"))
			w.Flush()
		}
	}
	return nil
}

func pdrLines(r *session.Rules) []string {
	lines := []string{"PDR\tprecedence\tfrom\tmatches\tFAR\tQERs\tURRs"}
	list := slices.Clone(r.PDRs)
	slices.SortStableFunc(list, func(a, b session.PDR) int { return int(int64(a.Precedence) - int64(b.Precedence)) })
	for _, p := range list {
		lines = append(lines, fmt.Sprintf("%d\t%d\t%v\t%s\t%d\t%s\t%s",
			p.ID, p.Precedence, p.PDI.Source, matches(&p.PDI), p.FAR, numbers(p.QERs), numbers(p.URRs)))
	}
	return lines
}

func matches(p *session.PDI) string {
	var all []string
	if p.HasTEID {
		all = append(all, fmt.Sprintf("TEID %#x", p.TEID))
	}
	if p.UE.IsValid() {
		all = append(all, "UE "+p.UE.String())
	}
	if p.UE6.IsValid() {
		all = append(all, "UE "+p.UE6.String())
	}
	if p.Application != "" {
		all = append(all, "application "+p.Application)
	}
	for qfi := range uint8(session.MaxQFI + 1) {
		if p.QFIs.Has(qfi) {
			all = append(all, fmt.Sprintf("QFI %d", qfi))
		}
	}
	if n := len(p.Filters); n > 0 {
		all = append(all, fmt.Sprintf("%d SDF filters", n))
	}
	return console.Dash(strings.Join(all, ", "))
}

func numbers(list []uint32) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = fmt.Sprint(n)
	}
	return console.Dash(strings.Join(texts, ","))
}

func farLines(r *session.Rules) []string {
	lines := []string{"FAR\taction\tto\ttunnel"}
	for _, f := range r.FARs {
		tunnel := "-"
		switch o := f.Outer; {
		case o == nil:
		case o.Kind.HasUDP():
			tunnel = fmt.Sprintf("%v to %v", o.Kind, netip.AddrPortFrom(o.Peer, o.Port))
		case o.Kind.OnN6():
			tunnel = fmt.Sprintf("%v to %v", o.Kind, o.Peer)
		default:
			tunnel = fmt.Sprintf("TEID %#x at %v", f.Outer.TEID, f.Outer.Peer)
		}
		lines = append(lines, fmt.Sprintf("%d\t%s\t%v\t%s", f.ID, actions(f.Action), f.Destination, tunnel))
	}
	return lines
}

// actions are named as TS 29.244 clause 8.2.26 does.
func actions(a session.Action) string {
	var all []string
	for _, x := range []struct {
		bit  session.Action
		name string
	}{{session.Drop, "DROP"}, {session.Forward, "FORW"}, {session.Buffer, "BUFF"}, {session.Notify, "NOCP"}} {
		if a&x.bit != 0 {
			all = append(all, x.name)
		}
	}
	return strings.Join(all, "+")
}

func qerLines(r *session.Rules) []string {
	lines := []string{"QER\tQFI\tgate UL/DL\tMBR UL\tMBR DL"}
	gate := map[bool]string{true: "open", false: "closed"}
	for _, q := range r.QERs {
		lines = append(lines, fmt.Sprintf("%d\t%d\t%s/%s\t%s\t%s", q.ID, q.QFI, gate[q.GateUL], gate[q.GateDL],
			bitRate(q.MBRUL), bitRate(q.MBRDL)))
	}
	return lines
}

func bitRate(bits uint64) string {
	if bits == 0 {
		return "-"
	}
	return fmt.Sprintf("%g Mbit/s", float64(bits)/1e6)
}

func urrLines(r *session.Rules, usage []control.Usage) []string {
	lines := []string{"URR\tperiod\tuplink packets\toctets\tdownlink packets\toctets"}
	for _, u := range r.URRs {
		period := "-"
		if u.Asked.Period > 0 {
			period = u.Asked.Period.Round(time.Second).String()
		}
		counted := "?\t?\t?\t?"
		for _, n := range usage {
			if n.URR == u.ID {
				counted = fmt.Sprintf("%d\t%d\t%d\t%d", n.UplinkPackets, n.UplinkOctets, n.DownlinkPackets, n.DownlinkOctets)
			}
		}
		lines = append(lines, fmt.Sprintf("%d\t%s\t%s", u.ID, period, counted))
	}
	return lines
}

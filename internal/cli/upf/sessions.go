package upf

import (
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/runflags"
	"github.com/upflab/upflab/upf/control"
)

// asking is a command that asks a running UPF.
type asking struct {
	socket string
	json   bool
}

func (a *asking) flags(c *cobra.Command) {
	c.Flags().StringVar(&a.socket, "socket", control.DefaultSocket, "the UPF's control socket, `PATH` of its configuration")
}

func (a *asking) jsonFlag(c *cobra.Command) {
	c.Flags().BoolVar(&a.json, "json", false, "print JSON")
}

func (a *asking) client() *control.Client { return control.NewClient(a.socket) }

// print writes v as JSON, or has text write it.
func (a *asking) print(c *cobra.Command, v any, text func(io.Writer) error) error {
	if !a.json {
		return text(c.OutOrStdout())
	}
	return console.JSON(c.OutOrStdout(), v)
}

func newUPFSessions() *cobra.Command {
	var a asking
	var ue string
	var limit int
	c := &cobra.Command{
		Use: "sessions [--ue ADDRESS]", Short: "List the sessions of a running UPF", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			query := url.Values{"limit": {strconv.Itoa(limit)}}
			if ue != "" {
				if _, err := netip.ParseAddr(ue); err != nil {
					return exit.WrongUsage(c, fmt.Errorf("--ue %s: give an IP address", ue))
				}
				query.Set("ue", ue)
			}
			var list control.Sessions
			if err := a.client().Get(c.Context(), "/sessions?"+query.Encode(), &list); err != nil {
				return err
			}
			return a.print(c, list, func(w io.Writer) error { return writeSessions(w, list, ue) })
		},
	}
	a.flags(c)
	a.jsonFlag(c)
	c.Flags().StringVar(&ue, "ue", "", "only those of the UE with the `ADDRESS`")
	runflags.Whole(c.Flags(), &limit, "limit", 1000, 0, "`N` sessions at most; 0: all")
	return c
}

func writeSessions(to io.Writer, list control.Sessions, ue string) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SEID\tUE\tlocal TEID\tgNB\tSMF\tPDRs\tURRs\theld")
	for _, s := range list.Sessions {
		local, gnb := tunnelTexts(s.Tunnels)
		fmt.Fprintf(w, "%v\t%s\t%s\t%s\t%s\t%d\t%d\t%d\n", s.SEID, console.Dash(ueText(s.UEs)), console.Dash(local), console.Dash(gnb), s.Node, s.PDRs, s.URRs, s.Held)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	switch {
	case ue != "" && len(list.Sessions) == 0:
		fmt.Fprintf(to, "no session has the UE address %s, of %d\n", ue, list.Total)
	case ue == "" && len(list.Sessions) < list.Total:
		fmt.Fprintf(to, "and %d more: --limit 0 shows all\n", list.Total-len(list.Sessions))
	case len(list.Sessions) == 0:
		fmt.Fprintln(to, "no sessions")
	}
	return nil
}

// tunnelTexts are the UPF's TEIDs, and the gNBs' tunnels.
func tunnelTexts(list []control.Tunnel) (local, gnb string) {
	var locals, gnbs []string
	for _, t := range list {
		if t.Local {
			locals = append(locals, t.TEID.String())
		} else {
			gnbs = append(gnbs, fmt.Sprintf("%v at %v", t.TEID, t.Address))
		}
	}
	return strings.Join(locals, ","), strings.Join(gnbs, ",")
}

// ueText lists addresses, and prefixes with their lengths.
func ueText(list []netip.Prefix) string {
	texts := make([]string, len(list))
	for i, p := range list {
		if texts[i] = p.String(); p.IsSingleIP() {
			texts[i] = p.Addr().String()
		}
	}
	return strings.Join(texts, ",")
}

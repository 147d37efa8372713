package measure

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/lab/datanet"
	"github.com/upflab/upflab/internal/measure/uelab"
)

func newUEUp() *cobra.Command {
	var f ueFlags
	c := &cobra.Command{
		Use: "up", Short: "Keep a UPF with UEs and a data network up until Ctrl-C", Args: cobra.NoArgs,
		Long: `Bring a UPF up with PDU sessions, a gNB and a data network, say how to use them, and
keep them up until Ctrl-C. All programs in the UEs' namespace end with it.`,
		Example: `  upflab ue up --dut open5gs --set sessions=100`,
		RunE:    func(c *cobra.Command, _ []string) error { return ueUp(c, f) },
	}
	f.add(c)
	return c
}

func ueUp(c *cobra.Command, f ueFlags) (err error) {
	l, err := f.open(c, c.Context())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLab(c.ErrOrStderr(), l)) }()
	named := l.Gateway().Namespace().SetResolver(l.Network.Resolver()) == nil
	tellUse(c.OutOrStdout(), l, named)
	select {
	case <-c.Context().Done():
		return nil
	case <-l.Deployment.Ended():
		return errors.New("the UPF has ended")
	}
}

// tellUse says how to use what is up.
func tellUse(w io.Writer, l *uelab.Lab, named bool) {
	g, host := l.Gateway(), l.Network.Resolver()
	url, name := netip.AddrPortFrom(host, datanet.HTTPPort).String(), host.String()
	if named {
		url, name = datanet.Domain, datanet.Domain
	}
	in := "ip netns exec " + g.Namespace().Name + " "
	ues := g.UEs()
	fmt.Fprintf(w, "UEs            %d, from %s on, in the namespace %s\n", len(ues), words(ues[0].Addresses()), g.Namespace().Name)
	fmt.Fprintf(w, "UPF            %s, N3 %s, N6 %s\n", l.Deployment.Label, l.Scenario.N3.UPF, l.Scenario.N6.UPF)
	fmt.Fprintf(w, "data network   %s: HTTP, DNS%s\n", words(l.Network.Addresses()), map[bool]string{true: ", iperf3"}[l.Network.IPerf3()])
	fmt.Fprintf(w, "offloads       %s\n\n", g.Offloads())
	fmt.Fprintf(w, "%scurl http://%s/ip\n%scurl -o /dev/null http://%s/download/100M\n", in, url, in, url)
	if l.Network.IPerf3() {
		fmt.Fprintf(w, "%siperf3 -c %s\n", in, name)
	}
	if len(ues) > 1 {
		for _, ping := range pings(ues[1].Addresses()) {
			fmt.Fprintf(w, "%s%s %s    # as UE 2\n", in, ping, name)
		}
	}
	fmt.Fprint(w, "\nCtrl-C takes everything down.\n")
}

// pings are commands that ping from each address of a UE. Where it has several, they name the family: ping would take
// that of the name, and an address of another UE.
func pings(addresses []netip.Addr) (list []string) {
	for _, a := range addresses {
		family := ""
		if len(addresses) > 1 {
			family = map[bool]string{true: "-4 ", false: "-6 "}[a.Is4()]
		}
		list = append(list, "ping "+family+"-I "+a.String())
	}
	return list
}

// words lists addresses.
func words(list []netip.Addr) string {
	var texts []string
	for _, a := range list {
		texts = append(texts, a.String())
	}
	return strings.Join(texts, " and ")
}

package datanet

import (
	"context"
	"os/exec"
	"strconv"

	"github.com/upflab/upflab/internal/machine/program"
)

// startIPerf3 starts iperf3's server at each address, if there is one.
func (n *Network) startIPerf3(ctx context.Context) error {
	path, err := exec.LookPath("iperf3")
	if n.cfg.Claim == nil || err != nil {
		return nil
	}
	for _, a := range n.cfg.Addresses {
		p, err := program.Start(ctx, program.Spec{
			Claim: n.cfg.Claim, Namespace: n.cfg.Namespace,
			Args: []string{path, "-s", "-p", strconv.Itoa(IPerfPort), "-B", a.String()},
		})
		if err != nil {
			return err
		}
		n.iperf3 = append(n.iperf3, p)
	}
	return nil
}

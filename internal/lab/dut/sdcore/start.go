package sdcore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/dut/sdcore/bess"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// starter knows how the UPF's programs are started, and when each is ready.
type starter struct {
	env      dut.Env
	programs programs
	config   string
	bess     *bess.Client
}

// parts are SD-Core's programs in the order in which its scripts start them.
func (s starter) parts() []process.Part {
	t, p := s.env.Site, s.programs
	pfcpiface := s.spec("pfcpiface", p.pfcpiface, "-bess", fmt.Sprintf("127.0.0.1:%d", bess.Port), "-config", s.config)
	pfcpiface.Image = s.env.Image.ForControl()
	routes := []string{p.routeControl, "-i", t.Links().UPFN3.Name, t.Links().UPFN6.Name}
	if p.python != "" {
		routes = append([]string{p.python}, routes...)
	}
	parts := []process.Part{
		{Name: "bessd", Within: time.Minute, Ready: s.answers, Spec: s.spec("bessd", p.bessd,
			"-f", "-m", "0", "-minloglevel", "1", "-allow", noPCI, "-i", filepath.Join(s.env.Dir, "bessd.pid"),
			"-grpc_url", fmt.Sprintf("127.0.0.1:%d", bess.Port))},
		{Name: "bessctl run up4", Once: true, Within: time.Minute, Ready: s.pipeline, Spec: s.spec("bessctl", p.bessctl, "run", "up4")},
		{Name: "pfcpiface", Within: time.Minute, Ready: s.listens, Spec: pfcpiface},
		{Name: "route_control", Within: time.Minute, Ready: s.routes, Spec: s.spec("route_control", routes...)},
	}
	parts[0].Spec.ByHand = byHand(bess.Port)
	parts[1].Spec.ByHand = []string{"neighbours # starting a port has flushed them"}
	parts[2].Spec.ByHand = byHand(httpPort)
	return parts
}

// byHand waits for a server of the UPF.
func byHand(port int) []string {
	return []string{fmt.Sprintf("until (exec 3<>/dev/tcp/127.0.0.1/%d) 2>/dev/null; do sleep 0.2; done", port)}
}

// noPCI is an address that no device has: DPDK tries to take every device of the
// machine that it may, and its ports here are none of them.
const noPCI = "ffff:ff:1f.7"

func (s starter) spec(name string, args ...string) process.Spec {
	return process.Spec{
		Args: args, Image: s.env.Image, Env: append(s.programs.env(), "CONF_FILE="+s.config), CPUs: s.env.CPUs, Dir: s.env.Dir,
		Log: filepath.Join(s.env.Dir, name+".log"),
	}
}

// asking is how long one question may take while BESS is busy.
const asking = 2 * time.Second

func (s starter) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	_, err := s.bess.Version(ctx)
	return err
}

// pipeline is nil when both ports are there: up4.bess ends with status 0 even without
// them. Starting a port flushes its neighbours, so they are set again.
func (s starter) pipeline() error {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	t := s.env.Site
	for _, device := range []string{t.Links().UPFN3.Name, t.Links().UPFN6.Name} {
		if _, err := s.bess.PortStats(ctx, port(device)); err != nil {
			return err
		}
	}
	errs := []error{t.UPF().AddNeighbour(netdev.Neighbour{Device: t.Links().UPFN6.Name, IP: t.Links().DNN6.Addr, MAC: t.Links().DNN6.MAC})}
	for _, gnb := range t.Links().GNB.Addrs() {
		errs = append(errs, t.UPF().AddNeighbour(netdev.Neighbour{Device: t.Links().UPFN3.Name, IP: gnb, MAC: t.Links().GNB.MAC}))
	}
	return errors.Join(errs...)
}

// port is the name that SD-Core gives to BESS's port on a device.
func port(device string) string { return device + "Fast" }

// listens is nil when pfcpiface's HTTP server is up, which it starts together with N4.
func (s starter) listens() error {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	conn, err := s.env.Site.UPF().Dial(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", httpPort))
	if err != nil {
		return err
	}
	return conn.Close()
}

// routes is nil when route_control has set the next hops of both ports.
func (s starter) routes() error {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	t := s.env.Site
	return errors.Join(
		s.leads(ctx, t.Links().UPFN3.Name, t.Links().GNB.Addr, t.Links().GNB.MAC),
		s.leads(ctx, t.Links().UPFN6.Name, t.Links().DNN6.Addr, t.Links().DNN6.MAC))
}

func (s starter) leads(ctx context.Context, device string, via netip.Addr, mac net.HardwareAddr) error {
	outputs, err := s.bess.Outputs(ctx, nextHop(device, mac))
	if err != nil {
		return fmt.Errorf("no route by %s via %s yet: %w", device, via, err)
	}
	if len(outputs) == 0 {
		return fmt.Errorf("the route by %s via %s is not connected yet", device, via)
	}
	return nil
}

// nextHop is the name of the module that route_control makes for a next hop.
func nextHop(device string, mac net.HardwareAddr) string {
	return device + "DstMAC" + strings.ToUpper(strings.ReplaceAll(mac.String(), ":", ""))
}

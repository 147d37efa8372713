package p4

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	p4v1 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/p4/p4rt"
	"github.com/upflab/upflab/internal/lab/dut/process"
)

// loopback is where BMv2's P4Runtime server listens, in the UPF's namespace.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// deviceID is the one that pfcpiface asks for.
const deviceID = 1

// The switch's ports. 0 is what a P4 program sends to that has not chosen.
const (
	portN3 = 1
	portN6 = 2
)

// cpuPort is UP4's, in p4src/include/define.p4.
const cpuPort = 255

// starter knows how the switch and pfcpiface are started, and when each is ready.
type starter struct {
	env      dut.Env
	programs programs
	config   string
	program  p4rt.Program
	bmv2     *p4rt.Switch
}

// parts are the two programs. pfcpiface waits ten seconds when it finds the switch
// without its program, so that comes first.
func (s starter) parts() ([]process.Part, error) {
	t := s.env.Site
	entries, err := entries(s.program, t)
	if err != nil {
		return nil, err
	}
	interfaces, err := p4rt.TableID(s.program.Info, "PreQosPipe.interfaces")
	if err != nil {
		return nil, err
	}
	port := func(n int, device string) []string { return []string{"-i", fmt.Sprintf("%d@%s", n, device)} }
	args := append([]string{s.programs.bmv2, "--no-p4", "--device-id", fmt.Sprint(deviceID), "--log-console", "--log-level", "warn"},
		append(port(portN3, t.Links().UPFN3.Name), port(portN6, t.Links().UPFN6.Name)...)...)
	args = append(args, "--", "--grpc-server-addr", netip.AddrPortFrom(loopback, grpcPort).String(), "--cpu-port", fmt.Sprint(cpuPort))
	return []process.Part{
		{Name: "simple_switch_grpc", Spec: s.spec("simple_switch_grpc", args...), Within: time.Minute,
			Ready: func() error { return s.set(entries) }},
		{Name: "pfcpiface", Spec: s.spec("pfcpiface", s.programs.pfcpiface, "-config", s.config), Within: time.Minute,
			Ready: func() error { return s.serves(interfaces) }},
	}, nil
}

func (s starter) spec(name string, args ...string) process.Spec {
	return process.Spec{Args: args, CPUs: s.env.CPUs, Dir: s.env.Dir, Log: logOf(s.env, name)}
}

// asking is how long one question may take while the switch is busy.
const asking = 5 * time.Second

// set gives the switch its program and the entries that pfcpiface does not write.
func (s starter) set(entries []*p4v1.TableEntry) error {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	return s.bmv2.Set(ctx, s.program, entries)
}

// serves is nil when pfcpiface has written the N3 address and the UE pool, and its HTTP
// server is up, which it starts together with N4.
func (s starter) serves(interfaces uint32) error {
	ctx, cancel := context.WithTimeout(context.Background(), asking)
	defer cancel()
	n, err := s.bmv2.Entries(ctx, interfaces)
	if err == nil && n < 2 {
		err = fmt.Errorf("pfcpiface has written %d of 2 entries of table interfaces", n)
	}
	conn, failed := s.env.Site.UPF().Dial(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", httpPort))
	if err := errors.Join(err, failed); err != nil {
		if conn != nil {
			conn.Close()
		}
		return err
	}
	return conn.Close()
}

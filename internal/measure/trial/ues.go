package trial

import (
	"context"
	"errors"
	"net/netip"
	"os"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/telemetry"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// OpenUEs brings a DUT up with its sessions, and the UE gateway where Open has the
// traffic engine. Of the gateway's configuration Claim, Site, Pool, UEs and Plain are
// filled in; Plain stays when it is set. On error what was opened is in the deployment, too; close it.
func OpenUEs(ctx context.Context, c Config, ues uegateway.Config, out *record.DUT) (*Deployment, error) {
	dp := newDeployment(c)
	return dp, dp.open(ctx, out, stage{"opening the UE gateway", func() error { return dp.openGateway(ues) }})
}

func (dp *Deployment) openGateway(c uegateway.Config) (err error) {
	c.Claim, c.Site = dp.Claim, dp.site
	c.Pool, c.Pool6 = pools(dp.Scenario)
	c.Plain = c.Plain || dp.Endpoint.Kind == dut.Router
	c.Offload = dp.Endpoint.Offloads
	c.UEs = nil
	for _, s := range dp.sessions {
		address, address6 := s.UE, s.UE6
		if s.UE.Is6() {
			address, address6 = netip.Addr{}, s.UE
		}
		c.UEs = append(c.UEs, uegateway.UE{
			Address: address, Address6: address6, UplinkTEID: s.UplinkTEID, DownlinkTEID: s.DownlinkTEID, QFI: s.QFI, GNB: s.GNB, UPF: s.N3,
		})
	}
	if dp.gateway, err = uegateway.Open(c); err != nil {
		return err
	}
	threads, err := dp.site.PrepareReceive(dp.receiveFromUEs())
	dp.subject.NAPI = threads
	return errors.Join(err, dp.setGRO())
}

// pools are the subnets of the families that UEs have; invalid: they do not have it.
func pools(s *scenario.Scenario) (pool, pool6 netip.Prefix) {
	if s.UE.Family.IPv4() {
		pool = s.UE.Pool
	}
	if s.UE.Family.IPv6() {
		pool6 = s.UE.Pool6
	}
	return pool, pool6
}

// receiveFromUEs gives a native XDP UPF its receive threads. The tester's ports need NAPI
// for what such a UPF sends. Other UPFs get what arrives as the kernel does it by
// itself, and GRO stays off at their ports: one that reads packet sockets could not cut
// merged segments.
func (dp *Deployment) receiveFromUEs() site.Receive {
	r := site.Receive{SinkNAPI: true}
	if dp.Endpoint.XDP == dut.NativeXDP && dp.Placement.Kind != host.Shared && host.PinsNAPI() {
		r.UPF = dp.receiveCPUs()
	}
	return r
}

// Gateway is the UE gateway; nil where the deployment has a traffic engine.
func (dp *Deployment) Gateway() *uegateway.Gateway { return dp.gateway }

// Site is where the DUT runs.
func (dp *Deployment) Site() site.Site { return dp.site }

// Ended is closed when the DUT ends by itself.
func (mt *meters) Ended() <-chan struct{} { return mt.instance.Exited() }

// Usage is what the DUT has used of its CPUs so far.
func (mt *meters) Usage() (telemetry.Sample, error) { return mt.site.Usage(mt.subject) }

// Programs lists the processes of the run: this one, with what it started, and the UPF's.
// Nil where the UPF is somebody else's.
func (mt *meters) Programs() []int {
	if !mt.site.OwnsUPF() {
		return nil
	}
	return append([]int{os.Getpid()}, mt.subject.Processes()...)
}

// sessions lists what the SMF establishes. Session i has the i-th UE address
// and, by twos, the TEIDs from the first on.
func sessions(s *scenario.Scenario, assign smf.Assign) []smf.Session {
	return sessionsFrom(s, assign, 0, s.Sessions)
}

// sessionsFrom lists n of them from a number on.
func sessionsFrom(s *scenario.Scenario, assign smf.Assign, from, n int) []smf.Session {
	list, gnbs := make([]smf.Session, n), s.GNBs()
	_, n3 := s.N3Ends()
	for at := range list {
		i := from + at
		ue, ue6 := s.UE.Of(i)
		list[at] = smf.Session{
			Index: i, UE: ue, UE6: ue6, QFI: s.QFIOf(i), GNB: gnbs[i%len(gnbs)], N3: n3, NetworkInstance: s.InstanceOf(i),
			UplinkTEID: s.TEID.Uplink + 2*uint32(i), DownlinkTEID: s.TEID.Downlink + 2*uint32(i),
		}
		if assign == smf.AssignUPF {
			list[at].UplinkTEID = 0
		}
	}
	return list
}

// instanceRemark says that sessions are not told apart by Network Instance although the
// scenario asks for that; "": they are, or it does not.
func (dp *Deployment) instanceRemark() string {
	d := dp.dialect()
	switch {
	case len(dp.Scenario.InstancesOf()) < 2:
		return ""
	case !dp.Endpoint.HasN4():
		return "It has no rules, and so no Network Instances: all UEs are alike to it."
	case d.NetworkInstance == smf.InstanceOmitted:
		return "Its rules carry no Network Instance: the UEs differ in their QFI alone."
	case d.OneInstance:
		return "It is configured with one Network Instance, which all UEs have: they differ in their QFI alone."
	}
	return ""
}

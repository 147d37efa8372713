package netns

import (
	"errors"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// PrepareReceive implements site.Site: it readies the ports for the traffic engine.
func (t *Testbed) PrepareReceive(r site.Receive) (threads []int, err error) {
	upf := []*netdev.Port{&t.links.UPFN3, &t.links.UPFN6}
	if r.NAPI {
		if err := errors.Join(upf[0].SetGRO(true), upf[1].SetGRO(true)); err != nil {
			return nil, err
		}
	}
	if threads, err = t.receiveForUPF(upf, r.UPF); err != nil || !t.links.GNB.Readable() {
		return threads, err // where it is not readable other hosts are the sink
	}
	sink := []*netdev.Port{&t.links.GNB, &t.links.DNN6}
	if r.SinkNAPI {
		if err := errors.Join(sink[0].SetGRO(true), sink[1].SetGRO(true)); err != nil {
			return nil, err
		}
	}
	_, err = pin(sink, r.Sink)
	return threads, err
}

// receiveForUPF runs the NAPI threads of the UPF's ports on the CPUs, and gives them with
// those of devices that the UPF has made, which stay where it put them.
func (t *Testbed) receiveForUPF(ports []*netdev.Port, cpus []int) ([]int, error) {
	threads, err := pin(ports, cpus)
	if err != nil {
		return nil, err
	}
	own, err := ports[0].NS.TunThreads()
	return append(threads, own...), err
}

// pin runs the NAPI threads of the ports on the CPUs; with none it leaves the ports
// as they are.
func pin(ports []*netdev.Port, cpus []int) (threads []int, err error) {
	if len(cpus) == 0 {
		return nil, nil
	}
	for _, p := range ports {
		pids, err := host.PinNAPI(p, cpus, true)
		if err != nil {
			return nil, err
		}
		threads = append(threads, pids...)
	}
	return threads, nil
}

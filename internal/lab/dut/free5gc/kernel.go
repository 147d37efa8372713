package free5gc

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/process"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/record"
)

// device is what go-upf makes: uplink packets come out of it, downlink ones go in.
const device = "upfgtp"

// moduleLoaded reports whether this kernel has gtp5g.
func moduleLoaded() bool {
	_, err := os.Stat("/sys/module/gtp5g")
	return err == nil
}

// startHere runs go-upf on this kernel, which has to have gtp5g.
func startHere(env dut.Env, command []string, file string) (*dut.Instance, error) {
	if !env.Elsewhere && !moduleLoaded() {
		return nil, fmt.Errorf("free5gc:%s needs the kernel module gtp5g, which is not loaded here: install it "+
			"(https://github.com/free5gc/gtp5g) and `modprobe gtp5g`, or use free5gc:%s",
			kernelMode, guestMode)
	}
	p, err := process.Start(process.Spec{
		Site: env.Site, Args: append(command, "-c", file),
		CPUs: env.CPUs, Log: filepath.Join(env.Dir, "go-upf.log"), Dir: env.Dir,
	})
	if err != nil {
		return nil, err
	}
	return &dut.Instance{Program: p, Rendered: []string{file}, Drops: hostCounters{env.Site}.drops, Endpoint: endpoint(env)}, nil
}

// hostCounters are those of gtp5g's device on this kernel. All else there is
// counted for every UPF.
type hostCounters struct{ testbed site.Site }

func (c hostCounters) drops() ([]record.Count, error) {
	link, err := c.testbed.UPF().Netlink().LinkByName(device)
	if err != nil {
		return nil, fmt.Errorf("read counters of %s: %w", device, err)
	}
	s := link.Attrs().Statistics
	if s == nil {
		return nil, nil
	}
	return []record.Count{{Place: notSent, Packets: s.TxErrors}}, nil
}

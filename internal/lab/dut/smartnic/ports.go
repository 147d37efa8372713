package smartnic

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// sysfs is where the kernel shows network devices.
const sysfs = "/sys/class/net"

// ask asks what the NIC of a device can do.
type ask func(device string) (netdev.Capabilities, error)

// Doctor looks at the ports, and at how their packets get to CPUs.
func (Way) Doctor(_ dut.Info, env dut.Env) []dut.Finding {
	m := machine{devices: sysfs, irqs: "/proc/irq", cpus: "/sys/devices/system/cpu"}
	return m.examine(env.Scenario, roles(env.Scenario), askPort)
}

// roles are the CPUs of the run, as it would place itself here.
func roles(s *scenario.Scenario) record.Placement {
	p, err := host.Place(s.CPU)
	if err != nil { // the run says so itself
		return record.Placement{DUT: s.CPU.DUT.List(), Sinks: s.CPU.Sink.List()}
	}
	return p
}

// examine looks at each device that the scenario names.
func (m machine) examine(s *scenario.Scenario, at record.Placement, ask ask) (list []dut.Finding) {
	for _, p := range []struct {
		key, name string
		cpus      []int
	}{
		{"n3.device", s.N3.Device, at.DUT}, {"n3.tester_device", s.N3.TesterDevice, at.Receivers()},
		{"n6.device", s.N6.Device, at.DUT}, {"n6.tester_device", s.N6.TesterDevice, at.Receivers()},
	} {
		key, name := p.key, p.name
		f := dut.Finding{What: key, Source: "docs/duts/smartnic.md"}
		if name == "" {
			f.Found, f.Cost = "not given", "no run: set "+key+" to a device of this machine, and link=physical"
		} else if port, err := look(m.devices, name); err != nil {
			f.Found, f.Cost = err.Error(), "no run: `ip link` lists the devices there are"
		} else {
			f.Found, f.Set, f.Cost = name+": "+port.text(), fmt.Sprintf("MTU %d for the run", s.MTU), port.cost()
		}
		list = append(list, f)
		if name != "" {
			list = append(list, m.spread(key, name, p.cpus)...)
			if c, err := ask(name); err == nil {
				list = append(list, capabilities(key, name, c, s)...)
			}
		}
	}
	return list
}

// port is what sysfs has about a network device.
type port struct {
	driver  string // "": a device without hardware
	physfn  bool   // it is a virtual function
	mtu     string
	carrier string // "1": up and connected
}

func look(root, name string) (port, error) {
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err != nil {
		return port{}, fmt.Errorf("there is no device %s", name)
	}
	p := port{mtu: read(dir, "mtu"), carrier: read(dir, "carrier")}
	if target, err := os.Readlink(filepath.Join(dir, "device", "driver")); err == nil {
		p.driver = filepath.Base(target)
	}
	_, err := os.Stat(filepath.Join(dir, "device", "physfn"))
	p.physfn = err == nil
	return p, nil
}

// read gives a file's first line; "" when it cannot be read.
func read(dir, file string) string {
	b, _ := os.ReadFile(filepath.Join(dir, file)) // carrier cannot be read of a device that is down
	return strings.TrimSpace(string(b))
}

func (p port) text() string {
	kind := "no hardware behind it"
	switch {
	case p.physfn:
		kind = "virtual function, driver " + p.driver
	case p.driver != "":
		kind = "port, driver " + p.driver
	}
	state := "down"
	switch p.carrier {
	case "1":
		state = "connected"
	case "0":
		state = "no carrier"
	}
	return fmt.Sprintf("%s, MTU %s, %s", kind, p.mtu, state)
}

// cost says what of the port will bound a run.
func (p port) cost() string {
	switch {
	case p.driver == "":
		return "its figures are not a NIC's"
	case p.carrier == "0":
		return "no packet passes: connect it to its peer"
	}
	return "its driver bounds what native XDP and XDP_REDIRECT can do: some drivers of virtual functions have neither"
}

package measure

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/machine/vm"
	"github.com/upflab/upflab/internal/scenario"
)

// What a virtual machine cannot do is refused before it boots.

// fitsVM refuses a scenario that needs other machines, or what the guest does not see of this one.
func (f runFlags) fitsVM(s *scenario.Scenario, name string) error {
	const alone = "which a virtual machine does not reach: it has no network"
	switch {
	case s.Hosts != nil:
		return errors.New("the scenario has hosts, " + alone)
	case s.Engine == scenario.EngineTRex:
		return fmt.Errorf("engine=%s is a server, %s", s.Engine, alone)
	case s.RAN == scenario.RANExternal:
		return fmt.Errorf("ran=%s is a core network, %s", s.RAN, alone)
	}
	nic := s.GuestOf().NIC
	if nic != scenario.NICVeth && slices.Contains(f.Sets, "link="+string(scenario.LinkVeth)) {
		return contradicts(scenario.LinkVeth, nic)
	}
	return errors.Join(linksInVM(s, nic), f.filesInVM(s, name))
}

// seesWorkingDirectory refuses one that the guest does not see.
func seesWorkingDirectory(m vm.Machine) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := m.Sees(dir); err != nil {
		return fmt.Errorf("the working directory %w", err)
	}
	return nil
}

// filesInVM refuses files that the guest does not see.
func (f runFlags) filesInVM(s *scenario.Scenario, name string) error {
	if err := seesWorkingDirectory(vm.Machine{}); err != nil {
		return err
	}
	files := append([]string{s.PCAP}, s.Dialects...)
	if scenario.IsPath(name) {
		files = append(files, name)
	}
	for _, build := range f.builds {
		_, value, _ := strings.Cut(build, "=")
		files = append(files, value)
	}
	for _, file := range files {
		if err := (vm.Machine{}).Sees(file); file != "" && err != nil {
			return err
		}
	}
	return nil
}

// targetsInVM refuses a UPF that runs elsewhere.
func targetsInVM(list []dut.Target) error {
	for _, t := range list {
		if t.Info().External {
			return fmt.Errorf("--dut %s runs outside of upflab, and a virtual machine does not reach it: it has no network", t.Label())
		}
	}
	return nil
}

// cpusInVM are the CPUs of the guest.
func cpusInVM(s *scenario.Scenario) (list []int) {
	for cpu := range s.GuestOf().CPUs {
		list = append(list, cpu)
	}
	return list
}

// linksInVM refuses links that the guest cannot have: its only devices are those of vm.nic.
func linksInVM(s *scenario.Scenario, nic scenario.NIC) error {
	for i, link := range append([]scenario.LinkKind{s.Link, s.N3.Link, s.N6.Link}, s.Links...) {
		switch {
		case link == scenario.LinkPhysical && nic == scenario.NICVeth:
			return fmt.Errorf("link=%s: a virtual machine has no device of this machine; --set vm.nic=virtio-net gives it NICs", link)
		case link == scenario.LinkVeth && i > 0 && nic != scenario.NICVeth, // that of the key link is its default
			link != scenario.LinkPhysical && link != scenario.LinkAuto && link != scenario.LinkVeth && nic != scenario.NICVeth:
			return contradicts(link, nic)
		}
	}
	return nil
}

// notOfSpeed refuses thresholds that an emulated machine cannot decide.
func notOfSpeed(s *scenario.Scenario) error {
	for _, t := range s.ThresholdsOf() {
		if t.Figure.OfSpeed() && s.Kind == scenario.KindInstructions {
			return exit.WrongConfig(fmt.Errorf("the threshold %q is on speed, of which counting instructions measures nothing: leave it out, or use "+
				"instructions_per_packet", t.Text))

		}
		if t.Figure.OfSpeed() {
			return exit.WrongConfig(fmt.Errorf("the threshold %q is on speed, which means nothing in an emulated machine: KVM does not work here "+
				"(`upflab doctor` says why), so leave the threshold out", t.Text))

		}
	}
	return nil
}

func contradicts(link scenario.LinkKind, nic scenario.NIC) error {
	return fmt.Errorf("link=%s and vm.nic=%s: with NICs the links are physical; leave one of the two out", link, nic)
}

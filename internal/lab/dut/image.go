package dut

import "fmt"

// Image is a container image from which a UPF's program is run, in place of the
// one that is installed on this machine.
type Image struct {
	Engine  []string // the command that runs containers: the program's path, then its own options
	Docker  bool     // it is docker, else podman
	Name    string   // of the image, as the engine knows it
	Program string   // its path in the image; "": the driver's name for it, in the image's PATH
	// Control is the image of the program that speaks N4, where that is another one; "":
	// Name has it, too.
	Control string
}

// ForControl is the image that the program that speaks N4 is run from; nil when the UPF is
// on this machine.
func (i *Image) ForControl() *Image {
	if i == nil || i.Control == "" {
		return i
	}
	c := *i
	c.Name = i.Control
	return &c
}

// Find gives the command that starts a UPF's program: that of Find, or the program's
// name in the image that it is run from.
func (e Env) Find(info Info, program string) (command []string, err error) {
	if e.Image == nil {
		if command, _, err = Find(info, program); err != nil && e.Elsewhere {
			return []string{program}, nil
		}
		return command, err
	}
	if e.Image.Program != "" {
		program = e.Image.Program
	}
	return []string{program}, nil
}

// Published is a container image with a UPF in it that somebody publishes.
type Published struct {
	Image   string // with its registry, as engines pull it: "ghcr.io/edgecomllc/eupf:0.7.1"
	Program string // its path in the image; "": the image's PATH leads to it
	Control string // the image of the program that speaks N4, where that is another one
}

// All names the images.
func (p Published) All() string {
	if p.Control == "" {
		return p.Image
	}
	return p.Image + " and " + p.Control
}

// Get is the one command that brings a UPF to this machine, or the page that has the
// commands; "" when there is nothing to bring.
func (i Info) Get() string {
	switch {
	case i.Contained && i.Published.Image != "":
		return "sudo upflab run --pull --dut container:" + i.Name
	case i.Page != "":
		return "the commands are in " + i.Page + ", from a bare Debian 12 on"
	}
	return ""
}

// Missing is the error of a UPF that is not installed, with the command that gets it.
func Missing(info Info, err error) error {
	if get := info.Get(); get != "" {
		return fmt.Errorf("%w\n  get it: %s", err, get)
	}
	return err
}

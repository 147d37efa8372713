package dut

import "fmt"

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

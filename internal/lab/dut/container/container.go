// Package container runs UPFs from container images, by podman (https://podman.io) or docker.
package container

import (
	"context"
	"fmt"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// Way is the dut.Way of a UPF in a container.
type Way struct{}

var _ dut.Way = Way{}

// Info describes it for `upflab dut list`.
func (Way) Info() dut.Info {
	return dut.Info{
		Name: "container", Summary: "another DUT from a container image, as container:eupf or container:open5gs:tap",
		Docs: "https://podman.io/docs/installation",
		Verified: "tried, podman 4.3.1, with builtin, eupf, open5gs, oai, spgwu and sdcore from images made here; " +
			"no published image was pulled",
	}
}

// Installed gives the version of podman or docker.
func (w Way) Installed() (string, error) {
	p, err := find(w.Info())
	if err != nil {
		return "", err
	}
	return p.version()
}

// Takes accepts the UPFs whose program may run from an image.
func (Way) Takes(of dut.Info) bool { return of.Contained }

// Purpose is what the user names a UPF for.
func (Way) Purpose() string { return "which UPF the image holds" }

// Prepare finds the image, or downloads it where the scenario allows that.
func (w Way) Prepare(ctx context.Context, d dut.Driver, env *dut.Env) (remarks []string, err error) {
	c, err := chosen(d.Info(), env.Scenario.Container)
	if err != nil {
		return nil, err
	}
	e, err := find(w.Info())
	if err != nil {
		return nil, err
	}
	from, err := e.images(ctx, c)
	if err != nil {
		return nil, err
	}
	env.Image = &dut.Image{Engine: e.command, Docker: e.docker, Name: c.Image, Program: c.Program, Control: c.Control}
	return []string{fmt.Sprintf("%s runs from %s by %s, privileged, in the UPF's namespace.", d.Info().Name, from, e.name())}, nil
}

// chosen is the image that the user gave, or the one that is published.
func chosen(info dut.Info, given *scenario.Container) (scenario.Container, error) {
	var c scenario.Container
	if given != nil {
		c = *given
	}
	switch {
	case info.Several && c.Program != "":
		return c, fmt.Errorf("container.program: %s is several programs, which upflab starts by their names: "+
			"leave it out, and give an image whose PATH leads to them", info.Name)
	case !info.Several && c.Control != "":
		return c, fmt.Errorf("container.control: %s is one program, which speaks N4 itself: leave it out", info.Name)
	case c.Image != "":
		return c, nil
	}
	if info.Published.Image == "" {
		return c, fmt.Errorf("upflab knows of no published image of %s: set container.image to one that `podman images` lists", info.Name)
	}
	c.Image = info.Published.Image
	if c.Program == "" {
		c.Program = info.Published.Program
	}
	if c.Control == "" {
		c.Control = info.Published.Control
	}
	return c, nil
}

// Doctor lists what a container changes; what bounds the UPF bounds it there, too.
func (Way) Doctor(of dut.Info, _ dut.Env) []dut.Finding {
	list := []dut.Finding{{What: "network", Set: "the testbed's namespace", Source: "docs/duts/container.md",
		Cost: "none: no bridge, no port mapping and no NAT of the engine's are in the packets' way"}}
	if image := of.Published.All(); image != "" {
		list = append(list, dut.Finding{What: "image", Set: image + ", where container.image gives no other",
			Cost: "a download once: `" + of.Get() + "`", Source: "docs/duts/container.md#published-images"})
	}
	return list
}

// Package container drives another driver's UPF from a container image, by podman
// (https://podman.io) or docker.
package container

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// Driver is dut.Driver for a UPF in a container; its mode is the other driver's
// name, and then that one's mode: "eupf", "open5gs:tap".
type Driver struct {
	Others []dut.Driver // those that there are
}

var (
	_ dut.FreeModes = Driver{}
	_ dut.Examiner  = Driver{}
	_ dut.Flawed    = Driver{}
)

// Info is dut.Driver's.
func (Driver) Info() dut.Info {
	return dut.Info{
		Name: "container", Summary: "another DUT from a container image, as container:eupf or container:open5gs:tap",
		Docs:     "https://podman.io/docs/installation",
		Verified: "run here, podman 4.3.1, with builtin, eupf and open5gs, and with programs that stand for sdcore, from images made here; no published image was pulled",
	}
}

// Installed is dut.Driver's: what podman there is.
func (d Driver) Installed() (string, error) {
	p, err := find(d.Info())
	if err != nil {
		return "", err
	}
	return p.version()
}

// CheckMode is dut.FreeModes's.
func (d Driver) CheckMode(mode string) error {
	_, _, err := d.inner(mode)
	return err
}

// inner is the driver that a mode names, and its mode.
func (d Driver) inner(mode string) (dut.Driver, string, error) {
	name, mode, _ := strings.Cut(mode, ":")
	var names []string
	for _, other := range d.Others {
		info := other.Info()
		if !info.Contained {
			continue
		}
		names = append(names, info.Name)
		if info.Name != name {
			continue
		}
		if mode == "" && len(info.Modes) > 0 {
			mode = info.Modes[0]
		}
		if mode != "" && !slices.Contains(info.Modes, mode) {
			return nil, "", fmt.Errorf("%s has no mode %q; it has: %s", name, mode, strings.Join(info.Modes, ", "))
		}
		return other, mode, nil
	}
	return nil, "", fmt.Errorf("say which UPF the image holds, as in container:%s; there are: %s", names[0], strings.Join(names, ", "))
}

// Start is dut.Driver's.
func (d Driver) Start(ctx context.Context, env dut.Env) (dut.Instance, error) {
	other, mode, err := d.inner(env.Mode)
	if err != nil {
		return nil, err
	}
	c, err := chosen(other.Info(), env.Scenario.Container)
	if err != nil {
		return nil, err
	}
	e, err := find(d.Info())
	if err != nil {
		return nil, err
	}
	from, err := e.images(ctx, c)
	if err != nil {
		return nil, err
	}
	env.Mode, env.Image = mode, &dut.Image{Engine: e.command, Docker: e.docker, Name: c.Image, Program: c.Program, Control: c.Control}
	i, err := other.Start(ctx, env)
	if err != nil {
		return nil, err
	}
	remark := fmt.Sprintf("%s runs from %s by %s, privileged, in the UPF's namespace.", other.Info().Name, from, e.name())
	return contained{i, append([]string{remark}, other.Info().Remarks...)}, nil
}

// chosen is the image that the user gave, or the one that is published.
func chosen(info dut.Info, given *scenario.Container) (scenario.Container, error) {
	var c scenario.Container
	if given != nil {
		c = *given
	}
	switch {
	case info.Several && c.Program != "":
		return c, fmt.Errorf("container.program: %s is several programs, which upflab starts by their names: leave it out, and give an image whose PATH leads to them", info.Name)
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

// Doctor is dut.Examiner's: what bounds the UPF bounds it in a container too.
func (d Driver) Doctor(env dut.Env) []dut.Finding {
	other, mode, err := d.inner(env.Mode)
	if err != nil {
		return nil
	}
	list := []dut.Finding{{What: "network", Set: "the testbed's namespace", Source: "docs/duts/container.md",
		Cost: "none: no bridge, no port mapping and no NAT of the engine's are in the packets' way"}}
	if image := other.Info().Published.All(); image != "" {
		list = append(list, dut.Finding{What: "image", Set: image + ", where container.image gives no other",
			Cost: "a download once: `" + other.Info().Get() + "`", Source: "docs/duts/container.md#published-images"})
	}
	if e, is := other.(dut.Examiner); is {
		env.Mode = mode
		list = append(list, e.Doctor(env)...)
	}
	return list
}

// Defects is dut.Flawed's.
func (d Driver) Defects(mode string, s *scenario.Scenario) []string {
	other, mode, err := d.inner(mode)
	if f, is := other.(dut.Flawed); err == nil && is {
		return f.Defects(mode, s)
	}
	return nil
}

package xdp

import "fmt"

// Start implements datapath.Persistent. Without Config.Pins, Open has attached the programs
// already. Those of an earlier process are replaced at each port at once: every packet
// meets the old or the new ones.
func (d *Datapath) Start() error {
	if d.pins.dir == "" {
		return nil
	}
	modes := []Mode{d.wanted}
	if d.wanted == Auto {
		modes = []Mode{Native, Generic}
	}
	before, mode := d.pins.links(d.ports, modes...)
	if err := d.pins.detachOthers(before); err != nil {
		return fmt.Errorf("xdp: detach the programs of an earlier process: %w", err)
	}
	if before == nil {
		return d.attachPinned()
	}
	d.mode = mode
	for i, l := range before {
		d.links = append(d.links, l.link)
		if err := l.link.Update(d.ports[i].program); err != nil {
			return fmt.Errorf("xdp: take %s over from an earlier process: %w", d.ports[i].name, err)
		}
	}
	d.usages.forgetOthers()
	d.started = true
	return nil
}

func (d *Datapath) attachPinned() error {
	if err := d.attach(d.wanted); err != nil {
		return err
	}
	for i, l := range d.links {
		if err := l.Pin(d.pins.linkPath(d.ports[i].index, d.mode)); err != nil {
			return fmt.Errorf("xdp: pin the program of %s: %w", d.ports[i].name, err)
		}
	}
	d.usages.forgetOthers()
	d.started = true
	return nil
}

// Leave implements datapath.Persistent.
func (d *Datapath) Leave() { d.left.Store(true) }

// closePins ends what is pinned, unless it is to be left, or is still an earlier
// process's.
func (d *Datapath) closePins() error {
	if d.pins.names != nil {
		d.pins.names.Close()
	}
	if d.pins.dir == "" || d.left.Load() || !d.started {
		return nil
	}
	return Clear(d.pins.dir)
}

package netdev

import (
	"fmt"

	"github.com/upflab/upflab/internal/socket/ethtool"
)

// offloads are switched off where a device has them: they would merge or leave
// unfinished what is sent.
var offloads = map[string]bool{
	"tx-checksum-ip-generic": false, "tx-tcp-segmentation": false, "tx-tcp6-segmentation": false,
	"tx-generic-segmentation": false, "rx-gro": false, "tx-scatter-gather": false, "tx-udp-segmentation": false,
}

// OffloadsOff switches the offloads off.
func (p *Port) OffloadsOff() error { return p.switchOffloads(false) }

// OffloadsOn switches them on: a veth then passes long segments and unfinished
// checksums on as they are.
func (p *Port) OffloadsOn() error { return p.switchOffloads(true) }

func (p *Port) switchOffloads(on bool) error {
	return p.NS.Do(func() error {
		have, err := ethtool.Features(p.Name)
		if err != nil {
			return fmt.Errorf("read offloads of %s: %w", p.Name, err)
		}
		want := map[string]bool{}
		for name := range offloads {
			if _, ok := have[name]; ok {
				want[name] = on
			}
		}
		if err := ethtool.SetFeatures(p.Name, want); err != nil {
			return fmt.Errorf("switch offloads of %s (on: %v): %w", p.Name, on, err)
		}
		return nil
	})
}

// SetGRO switches generic receive offload, which gives a veth without an XDP
// program its NAPI context: without one nothing can be redirected to it.
func (p *Port) SetGRO(on bool) error {
	p = p.device()
	return p.NS.Do(func() error {
		if err := ethtool.SetFeatures(p.Name, map[string]bool{"rx-gro": on}); err != nil {
			return fmt.Errorf("set GRO of %s to %v: %w", p.Name, on, err)
		}
		return nil
	})
}

// GRO reports whether the port merges what it receives.
func (p *Port) GRO() (bool, error) {
	on, err := p.device().Features()
	return on["rx-gro"], err
}

// Features are the offloads that upflab changes, as they are now.
func (p *Port) Features() (map[string]bool, error) {
	now := map[string]bool{}
	err := p.NS.Do(func() error {
		have, err := ethtool.Features(p.Name)
		for name := range offloads {
			if on, ok := have[name]; ok {
				now[name] = on
			}
		}
		if on, ok := have[ntuple]; ok {
			now[ntuple] = on
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read offloads of %s: %w", p.Name, err)
	}
	return now, nil
}

// Driver is the name of the port's driver: "veth", "igb".
func (p *Port) Driver() (name string, err error) {
	err = p.NS.Do(func() error {
		name, _, err = ethtool.Driver(p.Name)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the driver of %s: %w", p.Name, err)
	}
	return name, nil
}

// SetFeatures switches offloads on and off, by their names in `ethtool -k`.
func (p *Port) SetFeatures(want map[string]bool) error {
	return p.NS.Do(func() error { return ethtool.SetFeatures(p.Name, want) })
}

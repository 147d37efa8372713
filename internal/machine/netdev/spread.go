package netdev

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"golang.org/x/sys/unix"
)

// Spread is how a NIC spreads what it receives over its queues, as far as upflab changes that.
type Spread struct {
	Channels Channels `json:"channels"`
	// FlowHash is which fields are hashed, by the kind of GTP-U packet; of kinds that the driver
	// knows.
	FlowHash map[uint32]uint64 `json:"flow_hash,omitempty"`
	// Rules are the locations of rules that name queues.
	Rules []uint32 `json:"rules,omitempty"`
}

// unsupported reports whether a driver does not have something.
func unsupported(err error) bool {
	return errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.EINVAL)
}

// Spread reads it.
func (q Queues) Spread() (s Spread, err error) {
	if s.Channels, _, err = q.Channels(); err != nil {
		return s, err
	}
	for _, flow := range GTPUFlows {
		fields, err := q.FlowHash(flow)
		if unsupported(err) {
			continue
		}
		if err != nil {
			return s, fmt.Errorf("read what %s hashes of GTP-U: %w", q.of.Name, err)
		}
		if s.FlowHash == nil {
			s.FlowHash = map[uint32]uint64{}
		}
		s.FlowHash[flow] = fields
	}
	table, err := q.rules()
	if err != nil && !unsupported(err) {
		return s, fmt.Errorf("read the rules of %s: %w", q.of.Name, err)
	}
	s.Rules = table.locations
	return s, nil
}

// Restore undoes what differs from before: first rules, since they name queues. It goes on after
// an error.
func (q Queues) Restore(was Spread) error {
	now, err := q.Spread()
	if err != nil {
		return err
	}
	var errs []error
	for _, at := range now.Rules {
		if !slices.Contains(was.Rules, at) {
			errs = append(errs, q.deleteRule(at))
		}
	}
	for flow, fields := range was.FlowHash {
		if now.FlowHash[flow] != fields {
			errs = append(errs, q.SetFlowHash(flow, fields))
		}
	}
	if now.Channels != was.Channels {
		errs = append(errs, q.SetChannels(was.Channels))
	}
	return errors.Join(errs...)
}

// HashTEIDs has the NIC hash the TEID of GTP-U packets, besides the addresses, and gives the kinds of
// packet of which it does, sorted. The error says why of none.
func (q Queues) HashTEIDs() (kinds []string, err error) {
	for _, kind := range slices.Sorted(maps.Keys(GTPUFlows)) {
		failed := q.SetFlowHash(GTPUFlows[kind], HashSource|HashDestination|HashTEID)
		if failed == nil {
			kinds = append(kinds, kind)
		} else {
			err = failed
		}
	}
	if len(kinds) > 0 {
		return kinds, nil
	}
	return nil, fmt.Errorf("have %s hash the TEID of GTP-U: %w (its driver or this kernel cannot: `ethtool -N %s "+
		"rx-flow-hash gtpu4 sde`, with Linux and ethtool 6.9 or later)", q.of.Name, err, q.of.Name)
}

// ntuple is the feature without which a NIC takes no rules.
const ntuple = "rx-ntuple-filter"

// SteerTEIDs gives each TEID's packets a queue, in turn, by a rule of its own. Where the driver
// compares half a TEID, these halves have to differ.
func (q Queues) SteerTEIDs(teids []uint32, queues int) error {
	if err := q.of.SetFeatures(map[string]bool{ntuple: true}); err != nil {
		return fmt.Errorf("switch rules of %s on: %w (`ethtool -K %s ntuple on`)", q.of.Name, err, q.of.Name)
	}
	whole := true
	for i, teid := range teids {
		rule := TEIDRule{TEID: teid, Whole: whole, Queue: uint32(i % queues)}
		err := q.steer(rule)
		if i == 0 && unsupported(err) && halvesDiffer(teids) {
			whole, rule.Whole = false, false
			err = q.steer(rule)
		}
		if err != nil {
			return fmt.Errorf("have %s send TEID %#x to queue %d: %w (`ethtool -n %s` lists its rules; "+
				"spread=teid_hash needs none)", q.of.Name, teid, rule.Queue, err, q.of.Name)
		}
	}
	return nil
}

// halvesDiffer reports whether TEIDs differ in their lower 16 bits.
func halvesDiffer(teids []uint32) bool {
	seen := map[uint16]bool{}
	for _, t := range teids {
		if seen[uint16(t)] {
			return false
		}
		seen[uint16(t)] = true
	}
	return true
}

func (q Queues) steer(rule TEIDRule) error {
	table, err := q.rules()
	if err != nil {
		return err
	}
	at, err := table.free()
	if err != nil {
		return err
	}
	return q.rxnfc(rule.request(at)[:])
}

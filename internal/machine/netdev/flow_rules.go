package netdev

import (
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/socket/ethtool"
)

// What a NIC does with received frames by their headers is asked and set by struct ethtool_rxnfc
// of include/uapi/linux/ethtool.h: which fields are hashed for the choice of a queue, and rules that
// name a queue.

// Commands.
const (
	getFlowHash   = 0x29 // ETHTOOL_GRXFH
	setFlowHash   = 0x2a // ETHTOOL_SRXFH
	countRules    = 0x2e // ETHTOOL_GRXCLSRLCNT
	listRules     = 0x30 // ETHTOOL_GRXCLSRLALL
	deleteRule    = 0x31 // ETHTOOL_SRXCLSRLDEL
	insertRule    = 0x32 // ETHTOOL_SRXCLSRLINS
	locationAny   = 0xffffffff
	locationsFlag = 0x80000000 // RX_CLS_LOC_SPECIAL: the driver picks a rule's location
)

// Kinds of packet.
const (
	udp4Flow = 0x02
	flowExt  = 0x80000000
)

// GTPUFlows are the kinds of GTP-U packet over IPv4 that a NIC may hash by themselves (Linux 6.9), by their
// names for `ethtool -N DEVICE rx-flow-hash`: without an extension header, with a PDU session
// container, and with one of either direction.
var GTPUFlows = map[string]uint32{"gtpu4": 0x13, "gtpu4e": 0x19, "gtpu4u": 0x1b, "gtpu4d": 0x1d}

// Fields that are hashed.
const (
	HashSource      = 1 << 4
	HashDestination = 1 << 5
	HashTEID        = 1 << 8
)

// rxnfc is the struct, in the machine's byte order but for what is of a packet.
type rxnfc [192]byte

// Offsets in it; h and m are what a rule's packets have, and which bits of that matter.
const (
	atCommand, atFlow, atData = 0, 4, 8
	atRuleFlow                = 16
	atRulePort                = 20 + 10
	atRuleUser                = 72 + 12
	atMaskPort                = 92 + 10
	atMaskUser                = 144 + 12
	atRuleQueue               = 168
	atRuleLocation            = 176
	atRuleCount               = 184
	atRuleLocations           = 188
)

func (r *rxnfc) put32(at int, v uint32) { binary.NativeEndian.PutUint32(r[at:], v) }
func (r *rxnfc) get32(at int) uint32    { return binary.NativeEndian.Uint32(r[at:]) }

func command(c uint32) *rxnfc {
	r := new(rxnfc)
	r.put32(atCommand, c)
	return r
}

// flowHash asks which fields are hashed of a kind of packet, or sets them.
func flowHash(c, flow uint32, fields uint64) *rxnfc {
	r := command(c)
	r.put32(atFlow, flow)
	binary.NativeEndian.PutUint64(r[atData:], fields)
	return r
}

// TEIDRule sends G-PDUs of a TEID to a queue. The UDP destination port is compared, and of the
// UDP payload one or two words of 16 bits, as Intel's drivers take them in `user-def`: the lower half
// of the TEID is at octet 6, the upper at octet 4 (TS 29.281 clause 5.1).
type TEIDRule struct {
	TEID  uint32
	Whole bool // false: its lower half alone, which some drivers take
	Queue uint32
}

// request is what inserts the rule at a location.
func (t TEIDRule) request(location uint32) *rxnfc {
	r := command(insertRule)
	r.put32(atRuleFlow, udp4Flow|flowExt)
	binary.BigEndian.PutUint16(r[atRulePort:], gtpu.Port)
	binary.BigEndian.PutUint16(r[atMaskPort:], 0xffff)
	user := uint64(6)<<16 | uint64(t.TEID&0xffff)
	if t.Whole {
		user |= uint64(4)<<48 | uint64(t.TEID>>16)<<32
	}
	binary.BigEndian.PutUint64(r[atRuleUser:], user)
	binary.BigEndian.PutUint64(r[atMaskUser:], ^uint64(0))
	binary.NativeEndian.PutUint64(r[atRuleQueue:], uint64(t.Queue))
	r.put32(atRuleLocation, location)
	return r
}

// FlowHash is which fields are hashed of a kind of packet. The error is unix.EOPNOTSUPP, or
// unix.EINVAL, where the driver does not know it.
func (q Queues) FlowHash(flow uint32) (fields uint64, err error) {
	r := flowHash(getFlowHash, flow, 0)
	err = q.rxnfc(r[:])
	return binary.NativeEndian.Uint64(r[atData:]), err
}

// SetFlowHash has these fields hashed. None is what a driver does of itself; one that does not take
// that hashes the addresses.
func (q Queues) SetFlowHash(flow uint32, fields uint64) error {
	err := q.rxnfc(flowHash(setFlowHash, flow, fields)[:])
	if fields == 0 && errors.Is(err, unix.EINVAL) {
		err = q.rxnfc(flowHash(setFlowHash, flow, HashSource|HashDestination)[:])
	}
	return err
}

// ruleTable is where a port's rules are.
type ruleTable struct {
	locations []uint32
	size      uint32 // how many there can be; 0: not said
	picks     bool   // the driver picks locations
}

// rules are those of the port; the error is unix.EOPNOTSUPP where its driver has none.
func (q Queues) rules() (t ruleTable, err error) {
	r := command(countRules)
	if err := q.rxnfc(r[:]); err != nil {
		return t, err
	}
	n := r.get32(atRuleCount)
	t.size, t.picks = r.get32(atData)&^locationsFlag, r.get32(atData)&locationsFlag != 0
	list := make([]byte, len(rxnfc{})+4*int(n))
	copy(list, command(listRules)[:])
	binary.NativeEndian.PutUint32(list[atRuleCount:], n)
	if err := q.rxnfc(list); err != nil {
		return t, err
	}
	for i := range min(n, binary.NativeEndian.Uint32(list[atRuleCount:])) {
		t.locations = append(t.locations, binary.NativeEndian.Uint32(list[atRuleLocations+4*int(i):]))
	}
	return t, nil
}

// free is a location without a rule, the last one of the table.
func (t *ruleTable) free() (uint32, error) {
	if t.picks {
		return locationAny, nil
	}
	taken := map[uint32]bool{}
	for _, at := range t.locations {
		taken[at] = true
	}
	for at := t.size; at > 0; at-- {
		if !taken[at-1] {
			return at - 1, nil
		}
	}
	return 0, fmt.Errorf("all %d rules are taken", t.size)
}

// deleteRule removes the rule at a location; one that is gone is no error.
func (q Queues) deleteRule(location uint32) error {
	r := command(deleteRule)
	r.put32(atRuleLocation, location)
	if err := q.rxnfc(r[:]); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("remove rule %d of %s: %w", location, q.of.Name, err)
	}
	return nil
}

// rxnfc makes a request, and has the answer in its place.
func (q Queues) rxnfc(request []byte) error {
	return q.of.NS.Do(func() error { return ethtool.Do(q.of.Name, request) })
}

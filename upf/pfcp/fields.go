package pfcp

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"
)

// fields are the IEs of a message or of a grouped IE. Where an IE that may
// come once comes twice, the first counts (TS 29.244 clause 7.6.10).
type fields []*ie.IE

// find returns the first IE of the type, or nil.
func (f fields) find(typ uint16) *ie.IE {
	for _, i := range f {
		if i.Type == typ {
			return i
		}
	}
	return nil
}

// must returns the mandatory IE's payload, of at least min octets.
func (f fields) must(typ uint16, min int) ([]byte, error) {
	i := f.find(typ)
	switch {
	case i == nil:
		return nil, missing(typ)
	case len(i.Payload) < min:
		return nil, badLength(typ)
	}
	return i.Payload, nil
}

// may returns the IE's payload when the IE is there. A null length, which
// takes a parameter back (clause 5.6.3), gives an empty payload.
func (f fields) may(typ uint16, min int) (payload []byte, found bool, err error) {
	i := f.find(typ)
	switch {
	case i == nil:
		return nil, false, nil
	case len(i.Payload) != 0 && len(i.Payload) < min:
		return nil, false, badLength(typ)
	}
	return i.Payload, true, nil
}

func (f fields) mustUint16(typ uint16) (uint16, error) {
	b, err := f.must(typ, 2)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint16(b), nil
}

func (f fields) mustUint32(typ uint16) (uint32, error) {
	b, err := f.must(typ, 4)
	if err != nil {
		return 0, err
	}
	return binary.BigEndian.Uint32(b), nil
}

// mayUint32 returns nil when the IE is absent or has a null length.
func (f fields) mayUint32(typ uint16) (*uint32, error) {
	b, _, err := f.may(typ, 4)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	v := binary.BigEndian.Uint32(b)
	return &v, nil
}

// listUint32 returns the values of all IEs of the type. It is nil when there
// is none, and empty when the only one has a null length.
func (f fields) listUint32(typ uint16) ([]uint32, error) {
	var list []uint32
	for _, i := range f {
		switch {
		case i.Type != typ:
		case len(i.Payload) >= 4:
			list = append(list, binary.BigEndian.Uint32(i.Payload))
		case len(i.Payload) == 0 && list == nil:
			list = []uint32{}
		case len(i.Payload) != 0:
			return nil, badLength(typ)
		}
	}
	return list, nil
}

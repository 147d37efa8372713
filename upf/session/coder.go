package session

import (
	"encoding/binary"
	"net/netip"
	"time"
)

// coder writes values one after the other, or reads them in the same order, so that one
// description of a type serves both ways. It reads what it has written, nothing else.
type coder struct {
	out     []byte
	in      string
	reading bool
}

func (c *coder) next(n int) string {
	taken := c.in[:n]
	c.in = c.in[n:]
	return taken
}

// number is an integer, of as many octets as its value needs; a negative one takes ten.
func number[T ~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64](c *coder, v *T) {
	if c.reading {
		*v = T(c.read())
		return
	}
	c.out = binary.AppendUvarint(c.out, uint64(*v))
}

func (c *coder) read() (value uint64) {
	n := 0
	for ; c.in[n] >= 0x80; n++ {
		value |= uint64(c.in[n]&0x7f) << (7 * n)
	}
	value |= uint64(c.in[n]) << (7 * n)
	c.in = c.in[n+1:]
	return value
}

func (c *coder) flag(v *bool) {
	switch {
	case c.reading:
		*v = c.next(1) == "\x01"
	case *v:
		c.out = append(c.out, 1)
	default:
		c.out = append(c.out, 0)
	}
}

func (c *coder) text(v *string) {
	n := len(*v)
	number(c, &n)
	if !c.reading {
		c.out = append(c.out, *v...)
		return
	}
	*v = c.next(n)
}

// list is a slice; an empty one is read as nil.
func list[T any](c *coder, v *[]T, each func(*coder, *T)) {
	n := len(*v)
	number(c, &n)
	if c.reading && n > 0 {
		*v = make([]T, n)
	}
	for i := range *v {
		each(c, &(*v)[i])
	}
}

// optional is what may be nil.
func optional[T any](c *coder, v **T, what func(*coder, *T)) {
	is := *v != nil
	c.flag(&is)
	if !is {
		return
	}
	if c.reading {
		*v = new(T)
	}
	what(c, *v)
}

func (c *coder) addr(v *netip.Addr) {
	n := v.BitLen() / 8
	number(c, &n)
	switch {
	case !c.reading && n == 4:
		b := v.As4()
		c.out = append(c.out, b[:]...)
	case !c.reading && n == 16:
		b := v.As16()
		c.out = append(c.out, b[:]...)
	case n == 4:
		*v = netip.AddrFrom4([4]byte([]byte(c.next(4))))
	case n == 16:
		*v = netip.AddrFrom16([16]byte([]byte(c.next(16))))
	}
	if n == 16 {
		c.zone(v)
	}
}

func (c *coder) zone(v *netip.Addr) {
	zone := v.Zone()
	c.text(&zone)
	if c.reading {
		*v = v.WithZone(zone)
	}
}

func (c *coder) prefix(v *netip.Prefix) {
	address, bits := v.Addr(), v.Bits()+1
	number(c, &bits)
	if bits == 0 { // invalid
		return
	}
	c.addr(&address)
	*v = netip.PrefixFrom(address, bits-1)
}

// moment is a time of day, exact to a nanosecond, in the zone of this machine.
func (c *coder) moment(v *time.Time) {
	is := !v.IsZero()
	c.flag(&is)
	if !is {
		return
	}
	nanoseconds := v.UnixNano()
	number(c, &nanoseconds)
	if c.reading {
		*v = time.Unix(0, nanoseconds)
	}
}

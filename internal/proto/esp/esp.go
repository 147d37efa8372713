// Package esp has the Encapsulating Security Payload of IPsec in tunnel mode over IPv4 (RFC 4303), with AES-GCM and an ICV of
// 16 octets (RFC 4106).
package esp

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Protocol is ESP's number in IP headers.
const Protocol = 50

// KeyLen is the length of a key: AES-128's, and a salt of 4 octets.
const KeyLen = 20

const (
	ipLen, headLen, ivLen, icvLen = 20, 8, 8, 16
	ipInIP                        = 4
)

// SA is a security association: one direction of a tunnel. It is one goroutine's.
type SA struct {
	SPI      uint32
	From, To netip.Addr // the ends of the tunnel, IPv4
	Sequence uint32     // of the last packet that was sealed
	aead     cipher.AEAD
	salt     [4]byte
}

// New makes an SA with a key of KeyLen octets, the salt last.
func New(spi uint32, from, to netip.Addr, key []byte) (*SA, error) {
	if len(key) != KeyLen {
		return nil, fmt.Errorf("a key of ESP has %d octets, not %d", KeyLen, len(key))
	}
	block, err := aes.NewCipher(key[:16])
	if err != nil {
		return nil, err
	}
	s := &SA{SPI: spi, From: from, To: to, salt: [4]byte(key[16:])}
	s.aead, err = cipher.NewGCM(block)
	return s, err
}

// Seal makes the outer packet that carries an IPv4 packet. Its IV is the sequence number, which no other packet of the SA has.
func (s *SA) Seal(ip []byte) []byte {
	s.Sequence++
	var iv [ivLen]byte
	binary.BigEndian.PutUint64(iv[:], uint64(s.Sequence))
	return s.seal(ip, iv)
}

func (s *SA) seal(ip []byte, iv [ivLen]byte) []byte {
	padding := (4 - (len(ip)+2)%4) % 4
	plain := append([]byte(nil), ip...)
	for n := range padding {
		plain = append(plain, byte(n+1))
	}
	plain = append(plain, byte(padding), ipInIP)
	b := make([]byte, ipLen+headLen+ivLen, ipLen+headLen+ivLen+len(plain)+icvLen)
	b[0], b[8], b[9] = 0x45, 64, Protocol
	binary.BigEndian.PutUint16(b[2:], uint16(cap(b)))
	binary.BigEndian.PutUint16(b[4:], uint16(s.Sequence))
	from, to := s.From.As4(), s.To.As4()
	copy(b[12:], from[:])
	copy(b[16:], to[:])
	checksum.SealIPv4(b[:ipLen])
	binary.BigEndian.PutUint32(b[ipLen:], s.SPI)
	binary.BigEndian.PutUint32(b[ipLen+4:], s.Sequence)
	copy(b[ipLen+headLen:], iv[:])
	return s.aead.Seal(b, s.nonce(iv[:]), plain, b[ipLen:ipLen+headLen])
}

func (s *SA) nonce(iv []byte) []byte { return append(append(make([]byte, 0, 12), s.salt[:]...), iv...) }

// Open gives the IPv4 packet in an outer packet of the SA. The error says why there is none.
func (s *SA) Open(outer []byte) ([]byte, error) {
	const least = ipLen + headLen + ivLen + icvLen + 2
	if len(outer) < least || outer[0] != 0x45 || outer[9] != Protocol {
		return nil, fmt.Errorf("a packet of %d octets is no ESP", len(outer))
	}
	if n := int(binary.BigEndian.Uint16(outer[2:])); n >= least && n <= len(outer) {
		outer = outer[:n] // links pad
	}
	head := outer[ipLen : ipLen+headLen]
	if spi := binary.BigEndian.Uint32(head); spi != s.SPI {
		return nil, fmt.Errorf("it has SPI %#x, not %#x", spi, s.SPI)
	}
	iv := outer[ipLen+headLen:][:ivLen]
	plain, err := s.aead.Open(nil, s.nonce(iv), outer[ipLen+headLen+ivLen:], head)
	if err != nil {
		return nil, err
	}
	end := len(plain) - 2 - int(plain[len(plain)-2])
	if next := plain[len(plain)-1]; next != ipInIP || end < ipLen {
		return nil, fmt.Errorf("it has the next header %d and %d octets, not an IPv4 packet", next, end)
	}
	return plain[:end], nil
}

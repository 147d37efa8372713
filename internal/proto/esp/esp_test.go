package esp

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"testing"
)

// What scapy's SecurityAssociation makes of the packet: AES-GCM, key 0102..14, SPI 0x101, sequence number 5, IV a0a1..a7, an
// outer header with the identification 7.
const (
	inner = "45000044000100004011de3dc0a80d83c0a80d97086808680030d4c1000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f2021222324252627"
	outer = "4500007c000700004032dddec0a80d83c0a80d970000010100000005a0a1a2a3a4a5a6a72168e0237878fcb7db6686d86a8b3a811528fe54b8b642d7d3d9b6e3b2395c29dff64cd68f6240c46eaca1c1366e87013c39ebd26e049db4824b7092838bf5cc638920e7c95c2cd4e8481db2f0625806221459ad7c216627"
)

func octets(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func association(t *testing.T) *SA {
	t.Helper()
	key := make([]byte, KeyLen)
	for i := range key {
		key[i] = byte(i + 1)
	}
	s, err := New(0x101, netip.MustParseAddr("192.168.13.131"), netip.MustParseAddr("192.168.13.151"), key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSealIsScapys: what is sealed is what scapy makes, but for the outer header's identification.
func TestSealIsScapys(t *testing.T) {
	s := association(t)
	s.Sequence = 5
	got := s.seal(octets(t, inner), [8]byte(octets(t, "a0a1a2a3a4a5a6a7")))
	if want := octets(t, outer); !bytes.Equal(got[20:], want[20:]) || !bytes.Equal(got[12:20], want[12:20]) {
		t.Errorf("\n got %x\nwant %x", got, want)
	}
}

// TestOpen: scapy's packet is opened, also where the link has padded it; one that is altered is not.
func TestOpen(t *testing.T) {
	s := association(t)
	for _, b := range [][]byte{octets(t, outer), append(octets(t, outer), 0, 0)} {
		if got, err := s.Open(b); err != nil || !bytes.Equal(got, octets(t, inner)) {
			t.Errorf("%x, %v", got, err)
		}
	}
	for at := 20; at < len(outer)/2; at++ {
		b := octets(t, outer)
		b[at] ^= 1
		if got, err := s.Open(b); err == nil {
			t.Errorf("octet %d altered, and it is opened: %x", at, got)
		}
	}
}

// TestSequence: each packet that is sealed has the next number and another IV.
func TestSequence(t *testing.T) {
	s := association(t)
	a, b := s.Seal(octets(t, inner)), s.Seal(octets(t, inner))
	if n := binary.BigEndian.Uint32(b[24:]); n != 2 || bytes.Equal(a[28:36], b[28:36]) {
		t.Errorf("sequence number %d, IVs %x and %x", n, a[28:36], b[28:36])
	}
}

func FuzzOpen(f *testing.F) {
	b, _ := hex.DecodeString(outer)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) { association(&testing.T{}).Open(b) })
}

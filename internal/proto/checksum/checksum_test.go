package checksum

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// TestRFC1071 is the example of RFC 1071 section 3.
func TestRFC1071(t *testing.T) {
	b := []byte{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}
	got := make([]byte, 2)
	Put(got, Fold(Sum(b)))
	if got[0] != 0xdd || got[1] != 0xf2 {
		t.Errorf("sum is % x, want dd f2", got)
	}
}

// TestHeader is the IPv4 header of Wikipedia's example, which tshark agrees with.
func TestHeader(t *testing.T) {
	b := []byte{0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7}
	Put(b[10:], Finish(Sum(b)))
	if b[10] != 0xb8 || b[11] != 0x61 {
		t.Errorf("checksum is % x, want b8 61", b[10:12])
	}
	if Fold(Sum(b)) != 0xffff {
		t.Error("a header with its checksum does not add up to 0xffff")
	}
}

func TestOddLength(t *testing.T) {
	if Sum([]byte{1, 2, 3}) != Sum([]byte{1, 2, 3, 0}) {
		t.Error("an odd last octet is not padded with 0")
	}
}

func TestWords(t *testing.T) {
	b := binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, 0x1234), 0xfedc)
	if Words(0x1234, 0xfedc) != Sum(b) {
		t.Error("numbers do not add up as they do in a packet")
	}
}

func TestPlusMinus(t *testing.T) {
	a, b := [4]byte{10, 45, 0, 2}, [4]byte{192, 0, 2, 255}
	with := append(a[:], 1, 2, 3, 4)
	if got, want := Fold(Sum(with)+Minus(a)+Plus(b)), Fold(Sum(append(b[:], 1, 2, 3, 4))); got != want {
		t.Errorf("%#x after an exchange of addresses, want %#x", got, want)
	}
}

// TestUDPNeverZero: a sum of 0xffff gives a checksum that says there is one.
func TestUDPNeverZero(t *testing.T) {
	if Finish(0xffff) != 0 || FinishUDP(0xffff) != 0xffff {
		t.Errorf("%#x and %#x", Finish(0xffff), FinishUDP(0xffff))
	}
}

// TestDecrementTTL: the checksum is what it would be if it were made anew, for every
// TTL and every checksum.
func TestDecrementTTL(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 1 << 17 {
		ip := make([]byte, 20)
		for j := range ip {
			ip[j] = byte(random.Uint32())
		}
		ip[0], ip[8], ip[10], ip[11] = 0x45, byte(1+i%255), 0, 0
		binary.BigEndian.PutUint16(ip[4:], uint16(i)) // every sum comes up
		Put(ip[10:], Finish(Sum(ip)))
		DecrementTTL(ip)
		got := [2]byte(ip[10:])
		ip[10], ip[11] = 0, 0
		Put(ip[10:], Finish(Sum(ip)))
		if want := [2]byte(ip[10:]); got != want {
			t.Fatalf("TTL %d: checksum % x, want % x", ip[8], got, want)
		}
	}
}

// TestLong: a sum by eight octets is that by two, whatever the length.
func TestLong(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 300)
	for n := range b {
		for i := range b[:n] {
			b[i] = byte(r.Uint32()) | byte(n%3)*0xff // all ones in every third: carries
		}
		var want uint64
		for i := 0; i < n; i += 2 {
			word := uint64(b[i])
			if i+1 < n {
				word |= uint64(b[i+1]) << 8
			}
			want += word
		}
		if got := Sum(b[:n]); Fold(got) != Fold(want) || got >= 1<<34 {
			t.Errorf("%d octets: sum %#x, want %#x", n, got, want)
		}
	}
}

// TestSealed: scapy's IP(src="192.168.0.1", dst="192.168.0.199", len=115, flags="DF", id=0, proto=17), without
// and with options=IPOption_Router_Alert(), and IPv6(src="2001:db8::1", dst="2001:db8::2")/UDP(sport=1,
// dport=2)/b"odd".
func TestSealed(t *testing.T) {
	for _, c := range []struct {
		want string
		at   int
		seal func(ip []byte)
	}{
		{"45000073000040004011b861c0a80001c0a800c7", 10, SealIPv4},
		{"46000073000040004011235dc0a80001c0a800c794040000", 10, SealIPv4},
		{"60000000000b114020010db800000000000000000000000120010db800000000000000000000000200010002000bd0fb6f6464", 46,
			func(ip []byte) { SealUDP6(ip, nil) }},
		{"60000000000b114020010db800000000000000000000000120010db800000000000000000000000200010002000bd0fb6f6464", 46,
			func(ip []byte) { SealUDP6(ip[:48], ip[48:]) }},
	} {
		ip, err := hex.DecodeString(c.want)
		if err != nil {
			t.Fatal(err)
		}
		ip[c.at] ^= 0xff // what was there does not matter
		c.seal(ip)
		if got := hex.EncodeToString(ip); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

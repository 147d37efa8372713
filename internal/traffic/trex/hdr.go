package trex

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"

	"github.com/upflab/upflab/internal/traffic"
)

// A server that was started with --hdrh sends each group's HdrHistogram, of whole
// microseconds up to 1 ms and three digits above, in the library's compressed encoding,
// version 2: a cookie, a length, and by zlib a header and counts.
const (
	hdrCompressed = 0x1c849304
	hdrPlain      = 0x1c849303
	hdrKind       = ^uint32(0xf0) // the bits of a cookie that say the kind
	hdrHeader     = 40
	hdrDigits     = 3
	hdrHalf       = 1024 // sub-buckets of each power of two, at three digits
	hdrLongest    = 1 << 20
	hdrCounts     = 32 * hdrHalf
)

var errHDR = errors.New("TRex's HdrHistogram is not in version 2 of its encoding, with 3 digits")

// recorded is an HdrHistogram's, ns. A value is that of the upper end of its bucket.
func recorded(text string) (h traffic.Histogram, err error) {
	b, err := hdrPayload(text)
	if err != nil {
		return h, err
	}
	for i := uint64(0); len(b) > 0; {
		if i >= hdrCounts {
			return h, errHDR
		}
		n, used := zigzag(b)
		if used <= 0 {
			return h, errHDR
		}
		b = b[used:]
		if n < 0 { // so many empty buckets
			i += uint64(-n)
			continue
		}
		if n > 0 {
			count(&h, hdrUpper(i)*microsecond, uint64(n))
		}
		i++
	}
	return h, nil
}

// hdrPayload checks the headers and gives the encoded counts.
func hdrPayload(text string) ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) < 8 || binary.BigEndian.Uint32(b)&hdrKind != hdrCompressed&hdrKind {
		return nil, errHDR
	}
	r, err := zlib.NewReader(bytes.NewReader(b[8:]))
	if err != nil {
		return nil, errHDR
	}
	plain, err := io.ReadAll(io.LimitReader(r, hdrLongest))
	if err != nil || len(plain) < hdrHeader || binary.BigEndian.Uint32(plain)&hdrKind != hdrPlain&hdrKind {
		return nil, errHDR
	}
	length, digits, lowest := binary.BigEndian.Uint32(plain[4:]), binary.BigEndian.Uint32(plain[12:]), binary.BigEndian.Uint64(plain[16:])
	if digits != hdrDigits || lowest != 1 || uint64(length) > uint64(len(plain)-hdrHeader) {
		return nil, errHDR
	}
	return plain[hdrHeader:][:length], nil
}

// zigzag reads a number in ZigZag LEB128, as the library writes it: nine octets at most, of
// which the last has eight bits.
func zigzag(b []byte) (n int64, used int) {
	var v uint64
	for i := range min(len(b), 9) {
		bits := uint64(b[i])
		if i < 8 {
			bits &= 0x7f
		}
		v |= bits << (7 * i)
		if i == 8 || b[i] < 0x80 {
			return int64(v>>1) ^ -int64(v&1), i + 1
		}
	}
	return 0, 0
}

// hdrUpper is the upper end of a bucket, us.
func hdrUpper(i uint64) uint64 {
	if i < 2*hdrHalf {
		return i + 1
	}
	shift := i/hdrHalf - 1
	return (i%hdrHalf + hdrHalf + 1) << shift
}
